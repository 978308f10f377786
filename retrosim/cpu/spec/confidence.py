"""How sure a figure is: the words that every table of clocks and every machine parameter uses."""

from __future__ import annotations

CONFIDENCE = {
    "two sources": "two that do not rest on each other say so",
    "one source": "one says so",
    "measured": "timed on hardware",
    "recalled": "from memory of a manual whose text was not at hand",
    "estimated": "worked out or taken from something alike; no source has it",
}
