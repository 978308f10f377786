"""The model of the PowerPC 601."""

from __future__ import annotations

from functools import cache

from ...errors import SpecError
from ..spec.cpu import Cache, Cpu, Lines
from . import MODEL_NAMES, arith, floating, flow, logic, move, power, system  # noqa: F401  each adds its rows
from .causes import CAUSES
from .exceptions import accepts, exception, interrupt, vector_name
from .explain import LEGEND, explain
from .flow import SYSTEM_CALL_ROW, UNDEFINED_ROWS, undefined
from .host import HOST
from .mpc601_cache import SETS, SHORTCUTS, STATUS_BITS, UNCACHED_FROM, WAYS
from .mpc601_clocks import has_data_clocks
from .mpc601_pipeline import STAGES
from .readings import READINGS
from .state import IN_REGISTERS, LAYOUT, PPC, ZERO, reset
from .timing import MPC601_MODES

_LINES = Lines(
    unit_bytes=32,
    units=2,
    sets=SETS,
    ways=WAYS,
    survives=WAYS - 1,
    end=UNCACHED_FROM,
    tag=lambda line, sectors: (line << 4 | sectors, 15 & ~sectors),
    order="order",
    arriving="filling",
    missing=("sector_read", "sector_write", "sector_write"),
)


@cache
def cpu(model: str) -> Cpu:
    """Return the description of a model: "MPC601". Errors: SpecError."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no PowerPC model {model!r}; there is {', '.join(MODEL_NAMES)}")
    return Cpu(
        model,
        PPC,
        PPC.table(model, has_data_clocks, MPC601_MODES.values(), UNDEFINED_ROWS),
        LAYOUT,
        big_endian=True,
        undefined=undefined,
        unserved=SYSTEM_CALL_ROW,
        service_bytes=4,
        timing=MPC601_MODES,
        readings=READINGS[model],
        causes=CAUSES,
        caches={
            "unified": Cache(
                "tag", status_bits=STATUS_BITS, lines=_LINES, shortcuts=SHORTCUTS, behind=("l2",)
            )
        },
        explain=explain,
        legend=LEGEND,
        exception=exception,
        interrupt=interrupt,
        reset=reset,
        accepts=accepts,
        vector_name=vector_name,
        host=HOST,
        stage_fields=STAGES,
        derived=frozenset(SHORTCUTS),
        in_registers=IN_REGISTERS,
        zero_register=ZERO,
    )
