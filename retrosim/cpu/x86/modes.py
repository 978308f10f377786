"""The models of the family: a part and the mode that it runs in.

    real    16-bit code, segments of base selector * 16 with a limit each, interrupts by the vector table at 0;
            addresses up to 10FFEF: line A20 is open
    flat    32-bit code, all segments from 0 to 4 GiB, interrupts by gates

The 286 has the real mode alone. Real mode with limits of 4 GiB ("unreal") is the real model of a 386 or 486 with
other contents of `seg_limit`.
"""

from __future__ import annotations

I386 = ("i386_real", "i386_flat")
I486 = ("i486_real", "i486_flat")
I286 = ("i286_real",)
FROM_386 = I386 + I486
MODEL_NAMES = I286 + FROM_386


def is_real(model: str) -> bool:
    """Tell whether a model runs in real mode."""
    return model.endswith("_real")


def is_286(model: str) -> bool:
    return model in I286
