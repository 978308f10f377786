"""The models of the Intel 286, 386 and 486."""

from __future__ import annotations

from functools import cache, partial

from ...errors import SpecError
from ..spec.cpu import Cache, Cpu, Lines
from ..spec.timing import Timing
from . import arith, bits, decimal, flow, logic, move, shift, string, system  # noqa: F401  each import adds its rows
from .clocks import has_data_clocks
from .exceptions import accepts, exception, interrupt, take_fault, vector_name
from .explain import LEGENDS, explain
from .flow import INTERRUPT_ROW, UNDEFINED_ROWS, undefined
from .hooks import X86Hooks
from .host import host, host_286
from .i286_bus import WordPrefetchTiming
from .i486_cache import SHORTCUTS, UNCACHED_FROM, VALID
from .i486_pipeline import CacheTiming
from .modes import MODEL_NAMES, is_286, is_real
from .modrm import ZERO
from .prefetch import PrefetchTiming
from .readings import READINGS
from .state import IN_REGISTERS, LAYOUTS, X86, reset, reset_286
from .timing import TableTiming

FULL = {"i286": WordPrefetchTiming, "i386": PrefetchTiming, "i486": CacheTiming}
STAGES = {"i286": ("bus_free",), "i386": ("bus_free",), "i486": ("bus_free", "fill_end")}
_LINES = Lines(
    unit_bytes=16,
    sets=128,
    ways=4,
    survives=2,  # the three bits of a set point away from the line used last, and from the one before it
    end=UNCACHED_FROM,
    tag=lambda line, units: (line | VALID, 0),
    stores_allocate=False,
    arriving="filling",
    missing=("line_read",),
)
CACHES: dict[str, dict[str, Cache]] = {
    "i286": {},
    "i386": {},
    "i486": {"unified": Cache("tag", lines=_LINES, shortcuts=SHORTCUTS)},
}


def _timing(model: str) -> dict[str, type[Timing]]:
    """Return the timing models of a CPU model."""
    named = {"table": TableTiming, "full": FULL[model[:4]]}
    own: dict[str, object] = {"model": model, "refills": not model.startswith("i486")}
    if is_real(model):  # many an instruction may fault after a use of memory, which no table foresees
        own |= {"times": (), "marks": ()}
    return {"off": X86Hooks} | {mode: type(c.__name__, (c,), own) for mode, c in named.items()}


@cache
def cpu(model: str, unreal: bool = False) -> Cpu:
    """Return the description of one model of the family, for example "i386_real".

    unreal   real mode whose segments begin with limits of 4 GiB
    Errors   SpecError
    """
    if model not in MODEL_NAMES:
        raise SpecError(f"no x86 model {model!r}; there are {', '.join(MODEL_NAMES)}")
    part, timing = model[:4], _timing(model)
    return Cpu(
        model,
        X86,
        X86.table(model, partial(has_data_clocks, model=model), timing.values(), UNDEFINED_ROWS),
        LAYOUTS[part],
        big_endian=False,
        undefined=undefined,
        unserved=INTERRUPT_ROW,
        service_bytes=2,
        timing=timing,
        readings=READINGS[model],
        misaligned=take_fault,
        exception=exception,
        interrupt=interrupt,
        reset=reset_286 if is_286(model) else partial(reset, unreal=unreal),
        accepts=accepts,
        vector_name=vector_name,
        host=host_286() if is_286(model) else host(is_real(model)),
        explain=partial(explain, model),
        legend=LEGENDS[part],
        caches=CACHES[part],
        stage_fields=STAGES[part],
        in_registers=IN_REGISTERS[part],
        derived=frozenset(SHORTCUTS) & LAYOUTS[part].fields.keys(),
        zero_register=ZERO,
    )
