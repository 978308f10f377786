"""The Motorola 68K family."""

from __future__ import annotations

from retrosim.errors import SpecError

from ..spec.cpu import Cpu

MODEL_NAMES = "MC68000", "MC68040"


def cpu(model: str) -> Cpu:
    """Return the description of one model of the family, for example "MC68040". The rows are made at the first call."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no 68K model {model!r}; there are {', '.join(MODEL_NAMES)}")
    from .models import cpu

    return cpu(model)
