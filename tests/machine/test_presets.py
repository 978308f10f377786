"""Presets: every figure has its source, and follows the clock where it is a time."""

from __future__ import annotations

import pytest

from retrosim.cpu.spec.sources import CONFIDENCE
from retrosim.machine import MACHINE_NAMES, PRESETS, Machine, boards, open_machine, presets
from retrosim.machine.boards import MAX_MEMORY_CLOCKS
from retrosim.rom import ISAS


@pytest.mark.parametrize("name", PRESETS)
def test_every_figure_has_a_source(name: str) -> None:
    preset = PRESETS[name]
    assert preset.name == name and preset.isa in ISAS and preset.title
    for parameter, each in preset.parameters.items():
        assert each.minimum <= each.low <= each.value <= each.high <= each.maximum, parameter
        assert each.meaning and each.source and each.confidence in CONFIDENCE, parameter
        assert each.low < each.high or each.confidence != "estimated", parameter
        assert not each.not_below or each.value >= preset.parameters[each.not_below].value


def test_the_boards_are_those_of_the_presets() -> None:
    """Typed from the sources: a new way to compute them must not change them."""
    clocks = {name: [each.value for each in preset.memory.values()] for name, preset in PRESETS.items()}
    assert clocks["mc68040-25"] == [5, 11, 4, 5, 1]
    assert clocks["i386dx-33"] == [0, 0, 1, 22, 22] and clocks["i486dx2-66"] == [4, 10, 4, 8, 6]
    assert clocks["ppc601-80"] == [3, 1, 6, 18, 16, 34, 28, 10, 1021242]
    services = {
        "mc68000-8": 450, "mc68000-mac": 450, "mc68040-25": 65, "ppc601-80": 25, "i386dx-33": 180, "i486dx2-66": 240,
    }  # fmt: skip
    assert {name: PRESETS[name].service_clocks for name in services} == services


def test_times_follow_the_clock() -> None:
    """An ISA card takes 720 ns for a double word, whatever the CPU does; two clocks are the CPU's own."""
    for clock_hz, video, period in (
        (16_000_000, 10, "62.5 ns"),
        (33_000_000, 22, "30.3 ns"),
        (1_000_000, 0, "1e+03 ns"),
    ):
        board = boards.cached_isa_board(clock_hz)
        assert board["video_write"].value == video and period in board["read"].meaning
    assert [each.value for each in boards.local_bus_board(33_000_000, 1).values()] == [2, 5, 2, 4, 3]
    assert "(30.3 ns, 1 to a bus clock)" in boards.local_bus_board(33_000_000, 1)["write"].meaning
    assert boards.pc_service(33_000_000, 42).value == 141
    assert presets._mpc601("ppc601-66", "", 66_000_000).memory["timer"].value == round(100_000 * 66e6 / 7.8336e6)
    assert all(each.maximum <= MAX_MEMORY_CLOCKS for each in boards.quadra_700(40_000_000).values())


@pytest.mark.parametrize(
    "preset",
    [
        presets._mc68040("mc68040-33", "33 MHz 68040", 33_000_000),
        presets._i386("i386dx-16", "16 MHz 386DX PC", 16_000_000),
        presets._i486("i486dx-33", "33 MHz 486DX PC", 33_000_000),
    ],
    ids=lambda preset: preset.name,
)
def test_a_new_preset_is_one_row(preset: presets.Preset, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs the ROMs of its kind, with the world of all others."""
    monkeypatch.setitem(PRESETS, preset.name, preset)
    ours = Machine(preset.name, engine="interpret", parameters={"objects": 3})
    ours.run(frames=1)
    known = open_machine("native", parameters={"objects": 3})
    known.run(frames=1)
    assert ours.hash() == known.hash() and ours.cycles > 0


def test_unknown_names_are_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match=f"machine 'mc68040': allowed {', '.join(MACHINE_NAMES)}; did you mean"):
        open_machine("mc68040")
    with pytest.raises(ValueError, match=f"machine 'native': allowed {', '.join(PRESETS)}"):
        Machine("native")


@pytest.mark.parametrize(
    "clock_hz, video",
    [(12_000_000, (1, 3, 6)), (8_000_000, (0, 1, 3)), (16_000_000, (2, 4, 8))],  # of 240, 360 and 600 ns, less two
)
def test_an_at_board_by_its_clock(clock_hz: int, video: tuple[int, int, int]) -> None:
    """Source: cycles of the ISA bus, see `at_board`."""
    figures = boards.at_board(clock_hz)
    assert list(figures) == ["code", "read", "write", "video_read", "video_write"]
    for name, figure in figures.items():
        expected = video if name.startswith("video") else (0, 1, 1)
        assert (figure.low, figure.value, figure.high, figure.minimum, figure.maximum) == (*expected, 0, 1000)
        assert figure.meaning.startswith(f"CPU clocks ({1e9 / clock_hz:.3g} ns) beyond the two of ")
