"""What the sources of the clocks leave open, by model; mpc601_clocks.csv has the figures of each answer."""

from __future__ import annotations

from ..spec.readings import Reading

GCC = "GCC rs6000: 601 pipeline description"

MPC601 = (
    Reading(
        name="condition",
        question="when does a branch know its condition: as the compare leaves the execute stage, or a clock later?",
        options=("execute", "latency"),
        reason="an adjacent wrong prediction loses 3 clocks with it, of the recalled 2 to 4; with the other one 4",
        source=f"guide/facts/ppc601_timing.md section 2 (recalled); {GCC}: latency 3",
    ),
    Reading(
        name="cr-moves",
        question="do results of mfcr and mtcrf come a clock later than those of additions and compares?",
        options=("revised", "first"),
        reason="the revised file has entries of their own, the first one counted them among the integer instructions",
        source=f"{GCC}, the file of 2004 and the first one",
    ),
    Reading(
        name="cr-logic",
        question="which unit executes condition-register logic, and how long does a branch wait for it?",
        options=("integer", "branch-unit"),
        reason="the manual's table lists it with the integer unit, 1 clock",
        source=f"601UM table 7-81 (page 7-85); {GCC}: branch unit, latency 4",
    ),
    Reading(
        name="cache-port",
        question="what does a fetch lose to data that took the cache in every clock since the last one?",
        options=("once", "drained", "two"),
        reason="a lost clock for 8 loads and stores is what is recalled of the manual; no source has been seen",
        source="guide/facts/ppc601_timing.md section 3: 1 clock; 3 if the queue drains; 0 with a port of its own",
    ),
)

READINGS = {"MPC601": MPC601}
