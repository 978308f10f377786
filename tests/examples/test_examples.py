"""Every example runs, without a display, and does what it says."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from retrosim import examples
from retrosim.collide import _first_calls
from retrosim.examples import list_examples
from retrosim.guide import read_page
from retrosim.tape import load_tape

NAMES = tuple(list_examples())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, without a display."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    return tmp_path


def run(name: str, *arguments: str) -> int:
    """Run an example in this process."""
    status: int = import_module(f"retrosim.examples.{name}").main(list(arguments))
    return status


def needs(library: str) -> None:
    """Skip a test whose library is not installed; importing it is left to the example."""
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")


def size_of(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def test_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(examples.__file__).with_name("__main__.py")), run_name="__main__")
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == [
        f"retrosim.examples.{name}" for name in NAMES
    ]
    page = read_page("examples").text
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) and all(f"| `{name}` |" in page for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_they_describe_themselves(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    title = list_examples()[name]
    assert title[0].isupper() and title.endswith(".") and len(title) <= 80
    with pytest.raises(SystemExit) as ended:
        run(name, "--help")
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert shown.startswith(f"usage: python -m retrosim.examples.{name} ") and title in shown and "--frames" in shown


def test_bouncing_boxes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs("pygame")
    assert run("bouncing_boxes", "--objects", "50", "--frames", "30", "--screenshot", "boxes.png") == 0
    said = re.match(r"30 frames, (\d+) of 50 boxes overlap in the last one\nfinding", capsys.readouterr().out)
    assert said and 2 <= int(said[1]) < 50
    assert size_of(folder / "boxes.png") == (640, 480)


def test_boxes_stay_on_the_screen_and_overlap_as_they_should() -> None:
    example = import_module("retrosim.examples.bouncing_boxes")
    boxes = example.Boxes(40, 7)
    for _ in range(500):
        boxes.move()
        assert boxes.x.min() >= 0 <= boxes.y.min() and boxes.x.max() <= 610 and boxes.y.max() <= 450
    boxes.find_overlaps()
    near = (abs(boxes.x[:, None] - boxes.x) < 30) & (abs(boxes.y[:, None] - boxes.y) < 30)
    assert np.array_equal(boxes.hits, near.sum(axis=1) > 1)


def test_camera_world(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs("pygame")
    assert run("camera_world", "--screenshot", "world.png", "--frames", "60") == 0
    said = re.match(r"60 frames, player at (-?\d+), (-?\d+), (\d+) enemies hit, (\d+) left", capsys.readouterr().out)
    assert said and int(said[1]) > 50 and int(said[3]) > 0 and int(said[3]) + int(said[4]) == 300
    assert size_of(folder / "world.png") == (640, 480)


def test_the_player_of_camera_world_is_never_in_a_wall() -> None:
    game = import_module("retrosim.examples.camera_world").Game(0, 3)
    rng, met, way = np.random.default_rng(1), 0, None
    for frame in range(150):
        before = game.hero
        way = rng.choice([-1, 1], 2) if frame % 40 == 0 else way
        game.step(way, False)
        met += not np.array_equal(game.hero, np.clip(before + 5 * way, -1500, 1500))
        assert not len(game.walls.in_boxes(game.hero[:1], game.hero[1:], size=24))
    assert met > 0


@pytest.mark.full
def test_turning_shapes(folder: Path) -> None:
    shapes = import_module("retrosim.examples.turning_shapes").Shapes(60, 1994)
    contacts = [shapes.step(frame) for frame in range(30)]
    assert 0 < contacts[-1] < contacts[0], "they push each other apart"
    if shutil.which("xvfb-run") is None:
        pytest.skip("the window needs a display, and there is no xvfb-run")
    _first_calls.COMPILER.wait()  # the other process loads what this one has compiled
    command = [sys.executable, "-m", "retrosim.examples.turning_shapes", "--frames", "5", "--screenshot", "shapes.png"]
    environment = os.environ | {"PYTHONPATH": str(Path(examples.__file__).parents[2])}  # these very sources
    ran = subprocess.run(["xvfb-run", "-a", *command], env=environment, capture_output=True, text=True, timeout=100)
    assert re.fullmatch(r"5 frames, \d+ contacts in the last one\n", ran.stdout), ran.stderr[-500:]
    assert size_of(folder / "shapes.png") == (640, 480)


def test_rollback_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rollback_server", "--frames", "60", "--delay", "5") == 0
    first, punctual, late = capsys.readouterr().out.splitlines()
    said = re.fullmatch(r"60 frames, (\d+) played again, coins \((\d+), (\d+)\), \d+ objects left", first)
    assert said and int(said[1]) > 5
    assert punctual.split(": ")[1] == late.split(": ")[1] and len(late.split(": ")[1]) == 32


def test_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("before_and_after", "sectors:O0", "sectors:O2", "--frames", "1") == 0
    verdict, _, before, after = capsys.readouterr().out.splitlines()
    cycles = [int(line.split()[1].replace(",", "")) for line in (before, after)]
    fewer = round(100 - 100 * cycles[1] / cycles[0])
    assert verdict == f"DetermineCollisions on mc68040-25: sectors:O2 takes {fewer} % fewer cycles than sectors:O0"
    assert fewer > 20


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sectors:O9",), "O9"),
        (("nowhere.elf",), "nowhere.elf: no such file"),
        (("--entry", "Nothing"), "'Nothing'"),
        (("--machine", "native"), "native"),
    ],
)
def test_before_and_after_refuses_in_one_line(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(SystemExit, match=words) as ended:
        run("before_and_after", *arguments)
    assert "\n" not in str(ended.value)


def test_clocks_per_frame_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("clocks_per_frame", "calm-200", "--machine", "mc68040-25", "--frames", "30") == 0
    verdict, head, *lines = capsys.readouterr().out.splitlines()
    assert re.match(r"calm-200 on mc68040-25: \d+ of 30 frames take longer than a tick \(415,645 clocks\)", verdict)
    assert head.split() == ["frame", "clocks", "periods"] and len(lines) == 15
    longest = max(lines, key=lambda line: int(line.split()[-2].replace(",", "")))
    assert longest.count("#") == max(line.count("#") for line in lines) == 50


@pytest.mark.full
def test_clocks_per_frame_as_a_diagram(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs("matplotlib")
    assert run("clocks_per_frame", "calm-200", "--frames", "10", "--output", "clocks.png") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert size_of(folder / "clocks.png") == (900, 400)


def test_a_missing_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match=r"matplotlib cannot be imported .*pip install 'retrosim\[examples\]'"):
        run("clocks_per_frame", "calm-200", "--frames", "1", "--output", "clocks.png")


def test_scripted_game(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--frames", "400", "--on", "native", "--output", "played.rtape", "--screenshot", "played.png")
    assert run("scripted_game", *arguments) == 0
    said = re.match(r"400 frames: score (\d+), wave 1, ships left 2\n  native  world ok", capsys.readouterr().out)
    assert said and int(said[1]) > 0, "the script hits something"
    tape = load_tape(folder / "played.rtape")
    assert tape.frames == 400 and len({line.states["pad"] for line in tape.inputs}) > 2
    assert size_of(folder / "played.png") == (640, 480)


def test_side_by_side(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("calm-200", "--left", "mc68000-8", "--right", "mc68040-25", "--frames", "2", "--output", "both.png")
    assert run("side_by_side", *arguments) == 0
    left, right = capsys.readouterr().out.split("mc68040-25")
    assert left.startswith("mc68000-8: frame 2 after") and right.startswith(": frame 2 after")
    assert left.rsplit("world ", 1)[1].strip() == right.rsplit("world ", 1)[1].strip() != ""
    assert size_of(folder / "both.png")[0] == 2 * 640 + 8
    with pytest.raises(SystemExit, match=r"both\.png: exists already"):
        run("side_by_side", *arguments)
