"""The commands run in this process here too."""

from tests.cli.conftest import run

__all__ = ["run"]
