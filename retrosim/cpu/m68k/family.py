"""The models of the Motorola 68K family."""

from __future__ import annotations

from functools import cache

from ...errors import SpecError
from ..spec.cpu import Cpu
from . import MODEL_NAMES, arith, bits, decimal, flow, logic, move, shift, system  # noqa: F401  each adds its rows
from .causes import CAUSES
from .exceptions import accepts, exception, interrupt, vector_name
from .flow import LINE_A_ROW, undefined
from .host import HOST
from .mc68000_faults import address_error
from .state import IN_REGISTERS, LAYOUT, M68K, ZERO, reset
from .timing import MC68000_MODELS, MODELS


@cache
def cpu(model: str) -> Cpu:
    """Return the description of one model of the family, for example "MC68040"."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no 68K model {model!r}; there are {', '.join(MODEL_NAMES)}")
    table = M68K.table(model)
    return Cpu(
        model,
        M68K,
        table,
        LAYOUT,
        big_endian=True,
        undefined=undefined,
        unserved=LINE_A_ROW,
        service_bytes=2,
        timing=MC68000_MODELS if model == "MC68000" else MODELS,
        causes={} if model == "MC68000" else CAUSES,
        aligned=model == "MC68000",
        misaligned=address_error,
        exception=exception,
        interrupt=interrupt,
        reset=reset,
        accepts=accepts,
        vector_name=vector_name,
        host=HOST,
        stage_fields=("ea_end", "fetch_end"),
        in_registers=IN_REGISTERS,
        zero_register=ZERO,
    )
