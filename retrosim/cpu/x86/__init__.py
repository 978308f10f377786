"""The Intel 286, 386 and 486: integer instructions in 16-bit real mode and, from the 386 on, in flat 32-bit mode."""

from __future__ import annotations

from ..spec.cpu import Cpu
from .modes import MODEL_NAMES  # noqa: F401  of the family


def cpu(model: str, unreal: bool = False) -> Cpu:
    """Return the description of one model of the family, for example "i386_real". The rows are made at the first call.

    unreal   real mode whose segments begin with limits of 4 GiB
    """
    from .models import cpu

    return cpu(model, unreal)
