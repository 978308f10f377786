"""The model of the PowerPC 601."""

from __future__ import annotations

from functools import cache

from ...errors import SpecError
from ..spec.cpu import Cpu
from . import MODEL_NAMES, arith, floating, flow, logic, move, power, system  # noqa: F401  each adds its rows
from .causes import CAUSES
from .exceptions import accepts, exception, interrupt, vector_name
from .flow import SYSTEM_CALL_ROW, undefined
from .host import HOST
from .state import IN_REGISTERS, LAYOUT, PPC, ZERO, reset
from .timing import MODELS, STAGES


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
        service_bytes=4,
        timing=MODELS,
        causes=CAUSES,
        exception=exception,
        interrupt=interrupt,
        reset=reset,
        accepts=accepts,
        vector_name=vector_name,
        host=HOST,
        stage_fields=STAGES,
        in_registers=IN_REGISTERS,
        zero_register=ZERO,
    )
