"""What the sources of the MC68040's clocks leave open; guide/facts/m68040_timing.md has the passages."""

from __future__ import annotations

from ..spec.readings import Reading

MC68040_READINGS = (
    Reading(
        name="suba",
        question="does SUBA take the clocks printed for it, or those of ADDA, which it swaps in seven rows?",
        options=("printed", "as-adda"),
        reason="two transcriptions agree on the print",
        source="MC68040UM section 10.6, ADDA and SUBA",
    ),
)
