"""What a machine is told by name, and what is usual; importing this brings no compiler along.

CAUSES is the timing that counts the clocks of "full" by cause, on CPUs that have it (see `retrosim.cost.counting`).
"""

from __future__ import annotations

from collections.abc import Mapping

NATIVE = "native"  # the machine that runs compiled Python, without a CPU
ENGINES = ("auto", "evaluate", "interpret", "recompile")
TIMINGS = ("off", "table", "full")
CAUSES = "causes"

MAX_WARM_CALLS = 1_000_000
WARM_CALLS = 1
"""Calls of a routine before the one that is measured, unless given: code and data are then where a program that calls
the routine every frame finds them."""
MAX_STEPPED = 2_000_000  # instructions of a call that is looked at one by one, unless given: about a minute
MAX_INSTRUCTIONS = 1_000_000_000  # of a call, unless given
NO_REGISTERS: Mapping[str, int | str] = {}
RESULT_TYPES = ("u8", "s8", "u16", "s16", "u32", "s32")
