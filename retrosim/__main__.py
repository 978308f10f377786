"""`python -m retrosim` is the command `retrosim`."""

from retrosim.cli import run_process

run_process()
