"""`retrosim run` without a window: picture, summary, and everything that may be wrong."""

from __future__ import annotations

import os
import re
import shutil
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from retrosim.machine import NativeMachine
from retrosim.machine.headless import picture_of
from retrosim.rom import load_rom
from retrosim.screen.framebuffer import macintosh_palette
from retrosim.screen.overlay import View
from retrosim.screen.png import png_bytes
from tests.helpers.amount import FULL
from tests.helpers.rom.elf_builder import elf
from tests.helpers.scenarios.sectors_rules import Demo
from tests.helpers.screen.reference_scene import reference_scene

ILLEGAL, FOREVER = b"\x4a\xfc", b"\x60\xfe"  # ILLEGAL; BRA to itself
EXIT = b"\x70\x00\xa0\x02"  # MOVEQ #0,D0; the service exit
KEYS = {
    *("machine", "rom", "frames", "cycles", "instructions", "reason", "world", "seconds", "screenshot", "text"),
    *("scene", "parameters", "build", "engine", "timing", "memory", "memory_changed"),
    *("readings", "readings_changed", "simulated_seconds", "exit_status", "budget"),
}


class UndrawnDemo(Demo):
    """Plays the demo without drawing every frame, which takes plain Python seconds."""

    def _draw(self, x: list[int], y: list[int]) -> None:
        self.corners = (x, y)


def picture(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the palette indices and the palette of a PNG, by a reader of our own."""
    content, chunks, at = path.read_bytes(), {}, 8
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        chunks[content[at + 4 : at + 8]] = content[at + 8 : at + 8 + length]
        at += 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    return rows[:, 1:], np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)


def program(path: Path, code: bytes) -> Path:
    """Write a program of the user's own."""
    path.write_bytes(elf([(0x1000, code, len(code))]))
    return path


def test_an_overlay_is_drawn_over_the_picture(run, tmp_path) -> None:
    options = ("--machine", "native", "--objects", 40)
    ran = run("run", *options, "--frames", 9, "--screenshot", "shot.png", "--overlay", "shapes,tested,grid2")
    assert (ran.status, ran.err) == (0, "")
    machine = NativeMachine(load_rom("sectors"), parameters={"objects": 40})
    machine.run(frames=9)
    pixels, _ = picture_of(machine, View(shapes=True, tested=True, grid=1))
    assert (tmp_path / "shot.png").read_bytes() == png_bytes(pixels) and pixels.shape == (480, 640, 3)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--headless", "--overlay", "shapes"), 2, "--overlay: needs a window or --screenshot"),
        (("--overlay", "grid5", "--screenshot", "shot.png"), 1, "grid5 of sectors: allowed grid1, grid2, grid3, grid4"),
    ],
)
def test_an_overlay_of_nothing_is_refused(run, tmp_path, arguments, status, words) -> None:
    run("run", "--machine", "native", *arguments).is_refused(status, words)
    assert list(tmp_path.iterdir()) == []


def test_a_program_without_a_manifest_has_no_overlay(run, tmp_path) -> None:
    program(tmp_path / "mine.elf", FOREVER)
    ran = run("run", "mine.elf", "--engine", "evaluate", "--overlay", "shapes", "--screenshot", "shot.png")
    ran.is_refused(1, "a program without a manifest has no objects to draw")


def test_picture_is_right_pixel_by_pixel(run, tmp_path) -> None:
    ran = run("run", "--headless", "--frames", 120, "--screenshot", "shot.png")
    assert (ran.status, ran.err) == (0, "")
    demo = UndrawnDemo(200, 1994)
    for _ in range(120):
        demo.step()
    x, y = (np.array(side) for side in demo.corners)
    pixels, palette = picture(tmp_path / "shot.png")
    assert pixels.shape == (480, 640)
    assert np.array_equal(pixels, reference_scene(x, y, demo.collided))
    assert np.array_equal(palette, macintosh_palette())
    assert 0 < sum(demo.collided) < 200, "some outlined, some grey"


def test_summary_for_people(run) -> None:
    scene = ("--objects", 20, "--seed", 7, "--build", "O1", "--timing", "table", "--engine", "interpret")
    ran = run("run", "--headless", "--frames", 3, *scene)
    assert (ran.status, ran.err) == (0, "")
    first, second, world = ran.out.splitlines()
    assert first == "sectors on mc68040-25 (objects 20, seed 7; build O1, engine interpret, timing table)"
    assert re.fullmatch(r"3 frames, [\d,]+ cycles, [\d,]+ instructions; .* s simulated in .* times real time", second)
    assert re.fullmatch("world [0-9a-f]{16}", world)


def test_json_and_the_same_world_everywhere(run) -> None:
    results = []
    for options in (
        ("--machine", "native"),
        ("--timing", "off", "--engine", "interpret"),
        ("--build", "O0", "--timing", "full"),
        ("--engine", "evaluate" if FULL else "interpret", "--timing", "table"),
    ):
        results.append(run("run", "--json", "--frames", 2, "--objects", 9, "--seed", 0x50, *options).json())
    assert [set(result) for result in results] == [KEYS] * 4
    assert len({result["world"] for result in results}) == 1
    native, off, _, table = results
    assert [result["frames"] for result in results] == [2] * 4
    assert (native["cycles"], native["build"], native["engine"], native["timing"]) == (0, None, None, None)
    assert (off["build"], off["engine"], off["parameters"]) == ("O2", "interpret", {"objects": 9, "seed": 80})
    assert table["timing"] == "table" and table["instructions"] == off["instructions"]


def test_set_gives_any_parameter(run) -> None:
    by_name = run("run", "--json", "--machine", "native", "--frames", 5, "--objects", 9, "--seed", "3").json()
    by_set = run(
        "run", "--json", "--machine", "native", "--frames", 5, "--set", "objects=9", "--set", "seed=0x3"
    ).json()
    assert by_name["world"] == by_set["world"]


def test_without_a_display_it_says_so_and_runs(run, tmp_path) -> None:
    ran = run("run")
    assert ran.status == 0
    assert ran.err == "retrosim: no display (DISPLAY is not set); running 120 frames without a window\n"
    assert "120 frames" in ran.out and ran.out.endswith("picture retrosim-sectors.png\n")
    first = (tmp_path / "retrosim-sectors.png").read_bytes()
    ran = run("run", "sectors", "--speed", "1/2", "--fullscreen", "--objects", "9")
    assert (ran.status, ran.out.splitlines()[-1]) == (0, "picture retrosim-sectors-2.png")
    assert (tmp_path / "retrosim-sectors.png").read_bytes() == first
    assert (tmp_path / "retrosim-sectors-2.png").read_bytes() != first
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these hosts do not name their displays")
def test_display_that_does_not_answer(run, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("DISPLAY", ":9999")
    ran = run("run", "--objects", "5")
    assert ran.status == 0
    assert ran.err == "retrosim: there is no display; running 120 frames without a window\n"
    assert (tmp_path / "retrosim-sectors.png").exists()


def test_wayland_alone_is_explained(run, monkeypatch) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert "Xwayland" in run("run", "--machine", "native", "--objects", "5").err


@pytest.mark.full
def test_nothing_is_overwritten_unless_forced(run, tmp_path) -> None:
    shot = tmp_path / "shot.png"
    shot.write_text("precious")
    run("run", "--frames", 1, "--screenshot", shot).is_refused(1, "shot.png", "exists already")
    assert shot.read_text() == "precious"
    assert run("run", "--frames", 1, "--screenshot", shot, "--force").status == 0
    assert picture(shot)[0].shape == (480, 640)


@pytest.mark.parametrize("path", ["nowhere/shot.png", "file/shot.png", "folder.png", "x" * 300 + ".png"])
def test_pictures_that_cannot_be_written(run, tmp_path, path: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.png").mkdir()
    run("run", "--frames", 1, "--screenshot", path).is_refused(1, path[:20])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder.png"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_folder_without_permission(run, tmp_path) -> None:
    (tmp_path / "mine").mkdir(mode=0o500)
    run("run", "--frames", 1, "--screenshot", "mine/shot.png").is_refused(1, "mine")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--machine", "z80"), "machine 'z80': allowed"),
        (("--build", "O9"), "build 'O9': allowed O0, O1, O2"),
        (("--objects", "0"), "objects 0: allowed 1..200"),
        (("--objects", "201"), "objects 201: allowed 1..200"),
        (("--set", "wind=1"), "parameter 'wind': allowed objects, seed"),
        (("--machine", "native", "--build", "O1"), "--build: does not apply to native"),
        (("--machine", "native", "--engine", "evaluate"), "--engine: does not apply to native"),
        (("--machine", "native", "--timing", "off"), "--timing: does not apply to native"),
    ],
)
@pytest.mark.parametrize("mode", [(), ("--headless",)], ids=["window", "headless"])
def test_bad_arguments_name_what_is_allowed(run, tmp_path, mode, arguments, words: str) -> None:
    run("run", *mode, *arguments).is_refused(2, words)
    assert list(tmp_path.iterdir()) == []


def test_program_of_ones_own(run, tmp_path) -> None:
    ended = run("run", program(tmp_path / "mine.elf", EXIT), "--frames", 5, "--engine", "interpret")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines()[0] == "program on mc68040-25 (engine interpret, timing full)"
    assert "the program exited" in ended.out
    result = run("run", tmp_path / "mine.elf", "--json", "--engine", "evaluate").json()
    assert (result["reason"], result["frames"], result["rom"], result["world"]) == ("exit", 0, None, None)


def test_program_that_fails(run, tmp_path) -> None:
    ran = run("run", program(tmp_path / "mine.elf", ILLEGAL), "--screenshot", "shot.png")
    ran.is_refused(1, "MC68040", "illegal instruction at 001000")
    assert (tmp_path / "shot.png").exists(), "the picture at the fault helps to find it"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--objects", "5"), "parameter 'objects': allowed none"),
        (("--build", "O0"), "build 'O0': allowed none"),
        (("--machine", "native"), "native runs the routines of ROMs"),
    ],
)
def test_bad_arguments_for_a_bare_program(run, tmp_path, arguments, words: str) -> None:
    run("run", program(tmp_path / "mine.elf", EXIT), *arguments).is_refused(2, words)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the shipped ROM to be spoilt."""
    rom = load_rom("sectors")
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in ("rom.toml", *(info.file for info in rom.images)):
        shutil.copy(rom.path / name, folder / name)
    return folder


def test_rom_in_a_folder(run, copy) -> None:
    worlds = [run("run", rom, "--json", "--frames", 1) for rom in ("sectors", copy, copy / "rom.toml")]
    assert len({ran.json()["world"] for ran in worlds}) == 1


def test_images_with_another_hash_are_refused(run, copy) -> None:
    path = copy / load_rom("sectors").image_info("m68040").file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    run("run", copy, "--headless").is_refused(4, path.name, "SHA-256")
    path.unlink()
    run("run", copy, "--headless").is_refused(4, path.name, "no such file")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "format: is missing"),
        (b"format = ", "is not TOML"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"x" * 70000, "longer than 65536"),
        (b"a = " + b"[" * 5000, "nested"),
        (b'format = 1\nname = "../../etc"', "not allowed"),
    ],
)
def test_bad_manifests(run, copy, content: bytes, words: str) -> None:
    (copy / "rom.toml").write_bytes(content)
    run("run", copy, "--headless").is_refused(4, "rom.toml", words)


@pytest.mark.parametrize("cut", [5, 60, 500, 4000])
def test_truncated_elf_files(run, tmp_path, cut: int) -> None:
    image = load_rom("sectors")
    content = (image.path / image.image_info("m68040").file).read_bytes()
    (tmp_path / "short.elf").write_bytes(content[:cut])
    run("run", "short.elf", "--headless").is_refused(4, "short.elf")


def test_foreign_and_hostile_elf_files(run, tmp_path) -> None:
    bad = tmp_path / "bad.elf"
    bad.write_bytes(elf([(0x1000, EXIT, 4)], machine=62))
    run("run", bad, "--headless").is_refused(4, "another processor")
    bad.write_bytes(elf([(0x1000, EXIT, 4)], machine=3, order="<"))
    command = ("run", bad, "--headless", "--machine", "mc68040-25")
    run(*command).is_refused(4, "is code for i386; the mc68040-25 runs m68040")
    bad.write_bytes(elf([(0xFFFFFFF0, EXIT, 0x7FFFFFFF)], entry=0xFFFFFFF0))
    run("run", bad, "--headless").is_refused(4, "RAM ends at 0x800000")


@pytest.mark.parametrize("command", [("run", "masks"), ("run", "masks", "--headless"), ("record", "--rom", "masks")])
def test_a_library_does_not_run(run, tmp_path, command) -> None:
    said = "masks is a library and does not run by itself; call one of its routines with `retrosim cost masks --entry "
    run(*command, *(["new.rtape"] if command[0] == "record" else []), "--machine", "i386dx-33").is_refused(2, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rom", ["nowhere", "a/b", "/dev/null", ".", "x" * 5000])
def test_roms_that_are_not_there(run, rom: str) -> None:
    run("run", rom, "--headless").is_refused(4, rom[:20])


@pytest.mark.parametrize("machine", ["i386dx-33", "i486dx2-66"])
def test_a_file_runs_on_every_machine_of_its_family(run, tmp_path, machine: str) -> None:
    """An ELF file names the family of its processor, not the model."""
    undefined = bytes.fromhex("0f0b")  # UD2, where the run ends
    (tmp_path / "mine.elf").write_bytes(elf([(0x1000, undefined, 2)], machine=3, order="<"))
    ran = run("run", "mine.elf", "--machine", machine, "--engine", "evaluate", "--frames", 1)
    ran.is_refused(1, machine[:4], "invalid opcode at 001000")


@pytest.mark.full
def test_a_profile_of_a_run(run, tmp_path) -> None:
    command = ("run", "sectors", "--objects", 3, "--instructions", 3000)
    text = run(*command, "--profile", "--top", 3)
    assert text.status == 0 and "3,000 instructions" in text.out and "Hottest functions" in text.out
    assert max(len(line) for line in text.out.partition("busy clocks")[2].splitlines()) <= 80
    report = run(*command, "--profile", "p.html", "--callgrind", "c.out", "--json").json()
    assert report["profile"]["totals"]["instructions"] == report["instructions"] == 3000
    assert "timeline" not in report["profile"] and report["reason"] == "instructions"
    page = (tmp_path / "p.html").read_text()
    assert page.startswith("<!doctype html>") and "Profile of sectors on mc68040-25" in page
    assert (tmp_path / "c.out").read_text().startswith("# callgrind format")
    run(*command, "--profile", "p.html").is_refused(1, "p.html: exists already")
    run(*command, "--profile", "p.txt").is_refused(2, "--profile p.txt: allowed nothing, or a file")
    run(*command, "--profile", "--timing", "off").is_refused(2, "timing 'off' counts no cycles")
    run(*command, "--profile", "--engine", "evaluate").is_refused(2, "engine 'evaluate' has none")
    run("run", "sectors", "--machine", "native", "--profile").is_refused(2, "native has no CPU")
    run("run", "sectors", "--machine", "native", "--instructions", 5).is_refused(2, "native has no CPU")
