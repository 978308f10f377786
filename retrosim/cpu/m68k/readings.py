"""What the sources of the clocks leave open, by model; guide/facts/m68040_timing.md has the passages."""

from __future__ import annotations

from ..spec.readings import Reading

MC68040 = (
    Reading(
        name="lead",
        question="does an instruction execute after its address calculation, or from its lead on while that goes on?",
        options=("printed", "overlapped"),
        reason="measured: TRAP and RTE 85.3, MOVEM 120, CPUSHL 15.1; 85, 116 and 14 so, 70, 106 and 12 overlapped",
        source="MC68040UM section 10.1",
    ),
    Reading(
        name="code",
        question="does a cached line of code come at once, or a long word a clock?",
        options=("line", "long-word"),
        reason="no manual says what the cache hands to the decoder in a clock",
        source="guide/facts/m68040_timing.md section 3",
    ),
    Reading(
        name="exception-frame",
        question="is a frame written item by item, of which the PC lies in two long words, or by long words?",
        options=("words", "long-words"),
        reason="TRAP and RTE were measured at 85 clocks: 85 so, 67 as long words",
        source="MC68040UM section 8.4; guide/facts/measured.md row 10",
    ),
    Reading(
        name="return",
        question="may the next instruction begin when TRAP or RTE leaves the address stage, or when it is done?",
        options=("address", "done"),
        reason="a loop of both was measured at 85.3 clocks: 85 by address, 89 by done; among calls at 80.9: 72 and 86",
        source="MC68040UM section 10.5 (address); guide/facts/measured.md rows 10 (address), 27-28 (done)",
    ),
    Reading(
        name="branches",
        question="do the clocks of a branch hide behind what still executes, or add to it as printed?",
        options=("hidden", "printed"),
        reason="MULU and DBRA were measured at 14.0 clocks: 14 hidden, 17 printed; three loops with shifts fit printed",
        source="MC68040UM section 10.5 (printed); guide/facts/measured.md row 8 (hidden), loops of GNU MP (printed)",
    ),
    Reading(
        name="adda-suba",
        question="ADDA and SUBA differ in seven cells: is each right, or one of the two columns for both?",
        options=("printed", "adda", "suba"),
        reason="two transcriptions agree on the print",
        source="MC68040UM section 10.6",
    ),
    Reading(
        name="cmpa-word",
        question="does CMPA.W of memory take a clock more than the CMPA.L that is printed?",
        options=("as-movea", "printed"),
        reason="of MOVEA, where both sizes are printed, the word takes one more",
        source="MC68040UM section 10.6, CMPA and MOVEA",
    ),
    Reading(
        name="btst",
        question="is BTST Dn of (d16,An) and absolute addresses, printed 1L+1/2, 1L+2 or 2?",
        options=("lead", "no-lead"),
        reason="all other bit instructions have a lead in these modes",
        source="MC68040UM section 10.6",
    ),
)

READINGS = {"MC68000": (), "MC68040": MC68040}
