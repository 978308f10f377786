"""Timing models of the 68K, written in the value layer: the same code runs in every engine.

off     nothing is counted
table   MC68040: each instruction takes the slowest of its stages, nothing overlaps and nothing waits
full    MC68040: the pipeline as an event model. The MC68000 has no pipeline to speak of: table and full are one
causes  MC68040: full, and the clocks are counted by what they went to
"""

from __future__ import annotations

from .hooks import M68kHooks
from .mc68000_timing import MC68000Timing
from .mc68040_pipeline import CausesTiming, PipelineTiming
from .mc68040_timing import TableTiming

MC68000_MODES = {"off": M68kHooks, "table": MC68000Timing, "full": MC68000Timing}
MC68040_MODES = {"off": M68kHooks, "table": TableTiming, "full": PipelineTiming, "causes": CausesTiming}
