"""The models of the Motorola 68K family."""

from __future__ import annotations

from functools import cache

from ...errors import SpecError
from ..spec.cpu import ADDRESS_MASK, Cache, Cpu, Lines
from . import (  # noqa: F401  each adds its rows
    MODEL_NAMES,
    arith,
    bits,
    decimal,
    explain,
    flow,
    logic,
    mc68000_clocks,
    mc68040_clocks,
    move,
    shift,
    system,
)
from .causes import CAUSES
from .exceptions import accepts, exception, interrupt, vector_name
from .flow import LINE_A_ROW, UNDEFINED_ROWS, undefined
from .host import HOST
from .mc68000_faults import address_error
from .mc68040_cache import SHORTCUTS, UNCACHED_FROM, VALID
from .readings import READINGS
from .state import IN_REGISTERS, LAYOUT, M68K, ZERO, reset
from .timing import MC68000_MODES, MC68040_MODES

# Hits of the data cache are known only where every miss allocates a line.
_SHAPE = {"unit_bytes": 16, "sets": 64, "ways": 4, "survives": 0, "arriving": "filling"}
_SHAPE["tag"] = lambda line, units: (line | VALID, 0)
# Any line of a set may be replaced next. A miss reads a line, and writes out the one that it replaces.
_DATA = Lines(**_SHAPE, end=UNCACHED_FROM, fetches=(), missing=("line_read", "line_read"))
_CODE = Lines(**_SHAPE, end=ADDRESS_MASK + 1, operands=())
MC68040_CACHES = {
    "data": Cache("dtag", "dcount", dirty="dirty", allocates="copyback", lines=_DATA, shortcuts=SHORTCUTS["dtag"]),
    "instruction": Cache("itag", "icount", lines=_CODE, shortcuts=SHORTCUTS["itag"]),
}
BY_MODEL = {
    "MC68000": {
        "timing": MC68000_MODES,
        "price": mc68000_clocks.has_data_clocks,
        "explain": explain.explain_mc68000,
        "legend": explain.MC68000_LEGEND,
        "aligned": True,
    },
    "MC68040": {
        "timing": MC68040_MODES,
        "price": mc68040_clocks.has_data_clocks,
        "explain": explain.explain_mc68040,
        "legend": explain.MC68040_LEGEND,
        "causes": CAUSES,
        "caches": MC68040_CACHES,
    },
}


@cache
def cpu(model: str) -> Cpu:
    """Return the description of one model of the family, for example "MC68040". Errors: SpecError."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no 68K model {model!r}; there are {', '.join(MODEL_NAMES)}")
    own = dict(BY_MODEL[model])
    return Cpu(
        model,
        M68K,
        M68K.table(model, own.pop("price"), own["timing"].values(), UNDEFINED_ROWS),
        LAYOUT,
        big_endian=True,
        undefined=undefined,
        unserved=LINE_A_ROW,
        service_bytes=2,
        misaligned=address_error,
        exception=exception,
        interrupt=interrupt,
        reset=reset,
        accepts=accepts,
        vector_name=vector_name,
        host=HOST,
        readings=READINGS[model],
        stage_fields=("ea_end", "fetch_end"),
        in_registers=IN_REGISTERS,
        derived=frozenset(name for names in SHORTCUTS.values() for name in names),
        zero_register=ZERO,
        **own,
    )
