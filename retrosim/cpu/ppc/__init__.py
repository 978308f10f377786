"""The PowerPC 601."""

from __future__ import annotations

from ..spec.cpu import Cpu

MODEL_NAMES = ("MPC601",)


def cpu(model: str) -> Cpu:
    """Return the description of a model: "MPC601". The rows are made at the first call."""
    from .models import cpu

    return cpu(model)
