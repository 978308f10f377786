"""The memory map that all simulated machines share: one flat space of 24 bits."""

from __future__ import annotations

from collections.abc import Iterable

from retrosim.checks import check_choice

ADDRESSES = 1 << 24
RAM_END = 0x800000  # exclusive; it begins at 0
VIDEO_START, VIDEO_WIDTH, VIDEO_HEIGHT = 0x800000, 640, 480  # one palette index a pixel, pitch 640 bytes
PALETTE_START, PALETTE_ENTRIES = 0xF00000, 256  # 32-bit words 0x00RRGGBB
PAD_WORD = 0xF00400  # input: the sum of PAD_KEYS
PARAMETER_WORDS = 0xF00420  # eight scenario parameters, written at power-on
CURSOR_WORDS = 0xF00440  # of the console: column 0..80, row 0..29
STACK_START = 0x100000  # initial stack pointer; the stack grows down
RETURN_ADDRESS = 0x0003FC  # where a measured routine returns to: below every image, and nothing is executed there

PAD_KEYS = {"left": 1, "right": 2, "up": 4, "down": 8, "fire": 16}  # key of the pad -> its bit
INPUT_WORDS = {"pad": (PAD_WORD, sum(PAD_KEYS.values()))}  # device -> (address, greatest value)

YIELD_FRAME, MICROSECONDS, EXIT, WRITE_TEXT = range(4)  # services, by their numbers
FOREVER = (1 << 63) - 1  # clocks: no limit


def pad_word(keys: Iterable[str]) -> int:
    """Return the input word of keys by their names. Errors: ValueError."""
    pressed = set(keys)
    for key in pressed:
        check_choice("key", key, tuple(PAD_KEYS))
    return sum(PAD_KEYS[key] for key in pressed)
