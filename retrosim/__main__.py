"""`python -m retrosim` is the command `retrosim`."""

from .cli import run_process

run_process()
