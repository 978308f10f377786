"""`retrosim list`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from retrosim.guide import read_page
from retrosim.machine import PRESETS
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from retrosim.tape import shipped_tapes


def test_list_shows_everything(run) -> None:
    found = run("list", "--json").json()
    assert list(found) == ["roms", "machines", "tapes"]
    roms = {rom["name"]: rom for rom in found["roms"]}
    assert {name for name, rom in roms.items() if not rom["library"]} >= set(SCENARIOS)
    rom = roms["sectors"]
    assert rom["inputs"] == ["pad"]
    images = {image["build"]: image["default"] for image in rom["images"] if image["isa"] == "m68040"}
    assert {"O0", "O1", "O2"} <= set(images) and [build for build in images if images[build]] == ["O2"]
    assert rom["parameters"]["objects"] == {"default": 200, "minimum": 1, "maximum": 200}
    machines = {entry["name"]: entry for entry in found["machines"]}
    assert list(machines) == [*PRESETS, "native"]
    preset = PRESETS["mc68040-25"]
    assert machines["mc68040-25"]["clock_hz"] == 25_000_000
    assert machines["mc68040-25"]["tick_hz"] == [preset.tick_hz.numerator, preset.tick_hz.denominator]
    assert machines["native"]["clock_hz"] is None and machines["native"]["parameters"] == {}
    parameters = machines["mc68040-25"]["parameters"]
    assert parameters.keys() == {"service_clocks", *preset.memory}
    for name, each in preset.parameters.items():
        assert parameters[name]["value"] == each.value and parameters[name]["source"] == each.source != ""
        assert each.minimum <= each.value <= each.maximum
    readings = {each["name"]: each for each in machines["mc68040-25"]["readings"]}
    assert readings.keys() == set(preset.cpu().choices) and readings["adda-suba"]["options"] == [
        "printed",
        "adda",
        "suba",
    ]
    assert machines["native"]["readings"] == []
    by_mode = {(each["name"], *each["boots"]) for each in machines["i486dx2-66"]["readings"]}
    assert by_mode == {
        ("index-clock",),
        ("interlock", "real"),
        ("byte-writes", "real"),
        ("byte-writes", "flat"),
        ("pop-memory",),
        ("segment-load",),
    }
    assert {Path(tape["path"]) for tape in found["tapes"]} == set(shipped_tapes())
    assert all({"title", "rom", "machine", "parameters", "frames", "complete"} <= set(tape) for tape in found["tapes"])


def test_list_for_people(run) -> None:
    ran = run("list", "--details")
    assert (ran.status, ran.err) == (0, "")
    builds, figures = "m68040 builds O0, O1, O2 (default)", ("objects 1..200, default 200", "copyback 0..1, default 1")
    for words in (
        builds,
        *figures,
        "reading adda-suba: ",
        "printed (default), adda, suba: ",
        "60.147 ticks/s",
        "native",
        "Pixel masks, 1995, a library of routines",
    ):
        assert words in ran.out
    assert all(tape.stem in ran.out for tape in shipped_tapes())
    short = run("list", "machines").out.splitlines()
    assert len(short) == len(PRESETS) + 3 and "8 MHz 68000, no wait states" in short[1]
    assert max(map(len, short)) <= 80
    run("list", "tapes", "--details").is_refused(2, "--details: tapes have none")
    machines = run("list", "machines", "--details").out
    assert machines.startswith("machines\n") and machines.endswith("`retrosim guide facts/NAME`\n")
    cited = set(re.findall(r"(\w+)\.md", machines)) - {"NAME"}
    assert cited and all(read_page(f"facts/{name}").text for name in cited)
    assert "roms" not in run("list", "tapes", "--json").json()


def test_list_shows_what_is_broken(run, monkeypatch, tmp_path) -> None:
    folder = tmp_path / "roms"
    for name in ("common", "sectors"):
        shutil.copytree(load_rom("sectors").path.parent / name, folder / name)
    (folder / "broken").mkdir()
    (folder / "broken" / "rom.toml").write_text("format = 9")
    (folder / "sectors" / "tapes" / "bad.rtape").write_text("no tape")
    monkeypatch.setattr("retrosim.rom.library.rom_folders", lambda: [folder])
    ran = run("list")
    assert (ran.status, ran.err) == (0, "")
    assert "broken" in ran.out and "must be a whole number 1..1" in ran.out
    assert "not a retrosim tape" in ran.out and "m68040 builds" in ran.out
