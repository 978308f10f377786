"""The PowerPC 601."""

from __future__ import annotations

from functools import cache

from ...errors import SpecError
from ..core import Cpu
from . import arith, floating, flow, logic, move, power, system  # noqa: F401  each import adds its rows
from .exceptions import exception, interrupt
from .flow import SYSTEM_CALL_ROW, undefined
from .state import LAYOUT, PPC
from .timing import MODELS, STAGES

MODEL_NAMES = ("MPC601",)


@cache
def cpu(model: str) -> Cpu:
    """Return the description of a model: "MPC601"."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no PowerPC model {model!r}; there is {', '.join(MODEL_NAMES)}")
    return Cpu(
        model,
        PPC,
        PPC.table(model),
        LAYOUT,
        big_endian=True,
        undefined=undefined,
        unserved=SYSTEM_CALL_ROW,
        timing=MODELS,
        exception=exception,
        interrupt=interrupt,
        stage_fields=STAGES,
    )
