"""The Intel 386 and 486: integer instructions in 16-bit real mode and in flat 32-bit mode."""

from __future__ import annotations

from functools import cache

from ...errors import SpecError
from ..core import Cpu
from . import arith, bits, decimal, flow, logic, move, shift, string, system  # noqa: F401  each import adds its rows
from .exceptions import exception, interrupt, take_fault
from .flow import INTERRUPT_ROW, undefined
from .models import MODEL_NAMES
from .state import LAYOUT, X86, flags_of, put_flags, reset  # noqa: F401  for machines and tools
from .timing import models


@cache
def cpu(model: str) -> Cpu:
    """Return the description of one model of the family, for example "i386_real"."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no x86 model {model!r}; there are {', '.join(MODEL_NAMES)}")
    return Cpu(
        model,
        X86,
        X86.table(model),
        LAYOUT,
        big_endian=False,
        undefined=undefined,
        unserved=INTERRUPT_ROW,
        service_bytes=2,
        timing=models(model),
        misaligned=take_fault,
        exception=exception,
        interrupt=interrupt,
    )
