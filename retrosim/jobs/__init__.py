"""Long work as jobs of plain data: in this process, in several on this computer, or on a dask cluster.

running    runs jobs
tasks      what travels to whoever does a job
"""

from .running import HERE, Workers, run_jobs, usable_cores
from .tasks import Job

__all__ = ["HERE", "Job", "Workers", "run_jobs", "usable_cores"]
