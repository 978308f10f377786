"""What the engine knows of memory and registers: it decides how often a loop runs, so that the clocks are exact."""

import pytest

from retrosim.bounds.call import bound
from retrosim.bounds.engine import Unbounded
from tests.helpers.bounds.programs import opened, opened_all

LOOP = "l: subq.{size} #1,d7; bne.s l; rts"
SIZES = {"b": 1, "w": 2, "l": 4}


def known_counts(folder, texts: list[str], size: str = "l") -> list[bool]:
    """Tell of routines whether it is known how often they count d7 down; if so, their clocks are exact."""
    machine, addresses = opened_all(folder, [f"{text}; {LOOP.format(size=size)}" for text in texts])
    known = []
    for address in addresses:
        try:
            report = bound(machine, address)
        except Unbounded as error:
            assert "has no bound" in str(error)
            known.append(False)
            continue
        clocks = machine.measure(address, registers={"a0": 0x200000, "a1": 0x200100}, warm=0).cycles
        assert report.minimum == report.maximum == clocks
        known.append(True)
    return known


@pytest.mark.first_case
@pytest.mark.parametrize("stored", SIZES)
@pytest.mark.parametrize("place", ["{}(a0)", "0x3010{:+}"])
def test_a_word_stays_until_it_is_stored_to(tmp_path, stored, place):
    """A store next to a word leaves it; one that touches it makes it unknown."""
    offsets = range(-6, 7, 1 if stored == "b" else 2)
    texts = [
        f"moveq #3,d0; move.l d0,{place.format(8)}; move.{stored} d1,{place.format(8 + offset)}; "
        f"move.l {place.format(8)},d7"
        for offset in offsets
    ]
    assert known_counts(tmp_path, texts) == [offset + SIZES[stored] <= 0 or offset >= 4 for offset in offsets]


@pytest.mark.first_case
@pytest.mark.parametrize("stored", ["b", "w"])
def test_small_words_stay_too(tmp_path, stored):
    offsets = range(-2, 3, SIZES[stored])
    texts = [
        f"moveq #3,d7; move.w d7,0x3010; move.{stored} d1,0x3010{offset:+}; move.w 0x3010,d7" for offset in offsets
    ]
    known = known_counts(tmp_path, texts, "w")
    assert known == [offset + SIZES[stored] <= 0 or offset >= 2 for offset in offsets]


def test_what_is_known(tmp_path):
    """Of memory at known and unknown addresses, in frames and elsewhere, and of parts of words."""
    cases = {
        "move.l d0,(a0); move.l d1,(a1); move.l (a0),d7": False,  # perhaps the same word
        "move.l d0,(a0); move.l d1,0x3000; move.l (a0),d7": False,
        "move.l d0,0x3000; move.l d1,(a0); move.l 0x3000,d7": False,
        "move.l d0,-(sp); move.l d1,(a0); move.l (sp)+,d7": True,  # not in a frame of the routine
        "move.l d0,(a0); move.l d1,-(sp); addq.l #4,sp; move.l (a0),d7": True,
        "move.l d0,(a0); lea 8(a0),a1; move.l d1,(a1); move.l -8(a1),d7": True,
        "move.l d0,(a0)+; move.l d1,(a0); move.l -(a0),d7": True,
        "move.l d0,(a0); move.l (a0),a1; move.l a1,d7": True,
        "move.l d0,0x3000; move.w 0x3002,d7; ext.l d7": True,  # a part of it
        "move.l d0,0x3000; moveq #0,d7; move.b 0x3003,d7": True,
        "move.l d0,0x3000; move.l 0x3002,d7": False,
        "move.w d0,0x3000; move.w d0,0x3002; move.l 0x3000,d7": False,
        "move.l d0,(a0); move.w 2(a0),d7; ext.l d7": False,
        "move.l d1,0x3000; move.l 0x3000,d2; sub.l 0x3000,d2; add.l d0,d2; move.l d2,d7": False,
        "moveq #0,d7; move.b d0,d7": True,
        "movem.l d0-d1,-(sp); movem.l (sp)+,d2-d3; move.l d2,d7": True,
        "movem.l d0-d1,-(sp); movem.l (sp)+,d2-d3; move.l d3,d7": False,
        "link a6,#-8; move.l d0,-4(a6); move.l d1,(a0); move.l -4(a6),d7; unlk a6": True,
        "and.l d0,d1; addq.l #4,d1; move.l d1,d7": False,
    }
    assert known_counts(tmp_path, [f"moveq #3,d0; {text}" for text in cases]) == list(cases.values())


def test_numbers_within_bounds(tmp_path):
    """A shift takes as many clocks as its count is great: of each count the least and the greatest are known."""
    cases = [
        ("moveq #7,d7; and.l d1,d7", 0, 7),
        ("moveq #2,d7; tst.l d1; beq.s x; moveq #5,d7; x:", 0, 1),
        ("moveq #0,d7; move.b d1,d7; lsr.b #4,d7; addq.l #1,d7", 0, 0xFF),
        ("moveq #3,d7; and.l d1,d7; lsl.l #2,d7; addq.l #1,d7", 0, 3),
        ("moveq #12,d7; or.l d1,d7; and.l #15,d7", 0, 3),
    ]
    machine, addresses = opened_all(tmp_path, [f"{text}; lsl.l d7,d0; rts" for text, *_ in cases])
    for address, (text, *extremes) in zip(addresses, cases, strict=True):
        report = bound(machine, address)
        ends = [machine.measure(address, registers={"d1": value}, warm=0).cycles for value in extremes]
        assert [report.minimum, report.maximum] == ends, text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stop #0x2000; rts", "changes what interrupts the processor"),
        ("move #0,sr; rts", "changes what interrupts the processor"),
    ],
)
def test_what_has_no_bound(tmp_path, text, message):
    with pytest.raises(Unbounded, match=message):
        bound(opened(tmp_path, text), "routine")


def test_a_loop_may_miss_each_time(tmp_path):
    """A list is walked: each word may lie in two lines, each of which is read, and another one written out for it."""
    machine = opened(tmp_path, "l: move.l (a0),a0; move.l a0,d0; bne.s l; rts", "mc68040-25")
    few, many = (bound(machine, "routine", loops={"routine": times}).maximum for times in (8, 16))
    assert many - few == 8 * 2 * 2 * machine.memory_clocks["line_read"]
