"""Long work as jobs of plain data: in this process, or in several on this computer."""

from .local import run_jobs, usable_cores

__all__ = ["run_jobs", "usable_cores"]
