"""The PowerPC 601."""

from __future__ import annotations

from retrosim.errors import SpecError

from ..spec.cpu import Cpu

MODEL_NAMES = ("MPC601",)


def cpu(model: str) -> Cpu:
    """Return the description of a model: "MPC601". The rows are made at the first call."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no PowerPC model {model!r}; there are {', '.join(MODEL_NAMES)}")
    from .models import cpu

    return cpu(model)
