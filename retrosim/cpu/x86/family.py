"""The models of the Intel 386 and 486."""

from __future__ import annotations

from functools import cache, partial

from ...errors import SpecError
from ..spec.cpu import Cpu
from ..spec.timing import Untimed
from . import arith, bits, decimal, flow, logic, move, shift, string, system  # noqa: F401  each import adds its rows
from .exceptions import accepts, exception, interrupt, take_fault, vector_name
from .flow import INTERRUPT_ROW, undefined
from .host import host
from .i386_bus import PrefetchTiming
from .i486_bus import CacheTiming
from .models import MODEL_NAMES, is_real
from .modrm import ZERO
from .state import IN_REGISTERS, LAYOUTS, X86, reset
from .timing import TableTiming

FULL = {"i386": PrefetchTiming, "i486": CacheTiming}
STAGES = {"i386": ("bus_free",), "i486": ("bus_free", "fill_end")}


def _timing(model: str) -> dict[str, type[Untimed]]:
    """Return the timing models of a CPU model."""
    named = {"table": TableTiming, "full": FULL[model[:4]]}
    return {"off": Untimed} | {mode: type(c.__name__, (c,), {"model": model}) for mode, c in named.items()}


@cache
def cpu(model: str, unreal: bool = False) -> Cpu:
    """Return the description of one model of the family, for example "i386_real".

    unreal   real mode whose segments begin with limits of 4 GiB
    """
    if model not in MODEL_NAMES:
        raise SpecError(f"no x86 model {model!r}; there are {', '.join(MODEL_NAMES)}")
    return Cpu(
        model,
        X86,
        X86.table(model),
        LAYOUTS[model[:4]],
        big_endian=False,
        undefined=undefined,
        unserved=INTERRUPT_ROW,
        service_bytes=2,
        timing=_timing(model),
        misaligned=take_fault,
        exception=exception,
        interrupt=interrupt,
        reset=partial(reset, unreal=unreal),
        accepts=accepts,
        vector_name=vector_name,
        host=host(is_real(model)),
        stage_fields=STAGES[model[:4]],
        in_registers=IN_REGISTERS[model[:4]],
        zero_register=ZERO,
    )
