"""Scenes: what a text places, exactly, and how bad ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.errors import SceneError
from retrosim.rom import load_rom, load_scene, parse_scene, rom_names, shipped_scenes
from retrosim.rom.scene import MAX_BYTES, in_unit, rom_of

HEAD = "scene 1\nrom tanks\n"


def scene(text: str, rom: str = "tanks"):
    return parse_scene(text, load_rom(rom), "mine.scene")


def test_what_a_scene_says():
    found = scene(
        "# by hand\nscene 1  # format\n\nrom tanks\ntitle One # tank\nnote A\nnote B\nseed 7\n"
        "default speed=0.5 half_width=15\nobject x=100.5 y=60 angle=-90 kind=heavy\n"
        "default speed=1\tturn=8u\nobject x=40 y=3000u half_width=2.03125\nset hits=3\n"
    )
    assert (found.rom, found.title, found.description, found.seed, found.objects) == ("tanks", "One", "A B", 7, 2)
    columns = found.columns()
    assert columns["x"] == {0: 3216, 1: 1280} and columns["y"] == {0: 1920, 1: 3000}
    assert columns["speed"] == {0: 16, 1: 32} and columns["turn"] == {0: 0, 1: 8}
    assert columns["half_width"] == {0: 480, 1: 65} and "half_height" not in columns
    assert columns["angle"] == {0: -256, 1: 0} and columns["kind"] == {0: 3}
    assert columns["hits"] == {0: 3} and columns["bumps"] == {0: 0} and columns["collided"] == {0: 0, 1: 0}
    assert found.parameters(load_rom("tanks")) == {"objects": 2, "seed": 7}
    assert scene(found.text).places == found.places


def test_words_are_drawings_with_their_sizes():
    columns = scene("scene 1\nrom xquest\nobject\nobject shape=ring\n", "xquest").columns()
    assert {name: columns[name] for name in ("shape", "wide", "high")} == {
        "shape": {1: 11}, "wide": {1: 31}, "high": {1: 31},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; a scene begins with the line `scene 1`"),
        ("rom tanks\n", "line 1: 'rom tanks': a scene begins with the line `scene 1`"),
        ("scene 2\n", "line 1: 'scene 2': a scene begins with"),
        ("scene 1\nobject x=1\n", "line 2: object: the line `rom NAME` comes first"),
        ("scene 1\n", "has no line `rom NAME`"),
        ("scene 1\nrom sectors\n", "line 2: rom sectors: the scene is not for tanks"),
        ("scene 1\nrom ../x\n", "line 2: rom '../x': allowed the name of a ROM"),
        (HEAD, "line 2: object: 0 so far, tanks needs 1 or more"),
        (HEAD + "objekt x=1\n", "line 3: 'objekt': allowed rom, title, author, note, seed, set, default, object; did"),
        (HEAD + "object x\n", "line 3: 'x': allowed NAME=VALUE, without spaces"),
        (HEAD + "object x = 1\n", "line 3: 'x': allowed NAME=VALUE"),
        (HEAD + "object width=1\n", "line 3: 'width': allowed x, y, half_width, half_height, angle"),
        (HEAD + "object collided=1\n", "line 3: 'collided': allowed x, y"),
        (HEAD + "object x=40 x=41\n", "line 3: x is given twice"),
        (HEAD + "object x=31\n", "line 3: x 31: allowed 32..607.96875 pixels in steps of 0.03125"),
        (HEAD + "object x=19456u\n", "line 3: x 19456u: allowed 32..607.96875 pixels"),
        (HEAD + "object x=1e2\n", "line 3: x 1e2: allowed a decimal number such as 1.5, or a whole one with u"),
        (HEAD + "object x=nan\n", "line 3: x nan: allowed a decimal"),
        (HEAD + "object x=100.1\n", "line 3: x 100.1: lies between two values that the program can hold, "
                                    "100.09375 (3203u) or 100.125 (3204u)"),
        (HEAD + "default angle=1\nobject\n", "line 3: angle 1: lies between two values that the program can hold, "
                                             "0.703125 (2u) or 1.0546875 (3u)"),
        (HEAD + "object kind=small\n", "line 3: kind small: allowed player, light, medium, heavy"),
        (HEAD + "set lives=3\n", "line 3: 'lives': allowed hits, bumps"),
        (HEAD + "seed 4294967296\n", "line 3: seed 4294967296: allowed 0..4294967295"),
        (HEAD + "seed -1\n", "line 3: seed -1: allowed 0..4294967295"),
        (HEAD + "title a\ntitle b\n", "line 4: title is given a second time"),
        (HEAD + "title\n", "line 3: title: 0 characters, allowed 1..200"),
        (HEAD + "object\n" * 65, "line 67: object: allowed up to 64 in tanks"),
        (HEAD + "# " + "x" * 400, "line 3: 402 characters long, allowed 400"),
        (HEAD + "title \x1b[2J\n", "line 3: holds a character that cannot be printed"),
        (HEAD + "#\n" * (MAX_BYTES // 2), f"is longer than {MAX_BYTES} bytes"),
    ],
)  # fmt: skip
def test_bad_scenes_are_refused_in_one_line(text, message):
    with pytest.raises(SceneError) as refusal:
        scene(text)
    assert str(refusal.value).startswith(f"mine.scene: {message}") and "\n" not in str(refusal.value)
    assert refusal.value.exit_status == 4


def test_a_rom_without_a_description_takes_none():
    with pytest.raises(SceneError, match="line 2: rom moertel1994: takes no scenes"):
        scene("scene 1\nrom moertel1994\nobject\n", "moertel1994")


def test_files(tmp_path: Path):
    path = tmp_path / "own.scene"
    for content, message in (
        (b"\xff", "is not UTF-8 text"),
        (b"x" * (MAX_BYTES + 1), f"is longer than {MAX_BYTES} bytes"),
        (b"scene 1\nrom pong\n", "rom pong: no such ROM; there are: "),
    ):
        path.write_bytes(content)
        with pytest.raises(SceneError, match=message):
            load_scene(path)
    with pytest.raises(SceneError, match="no such file"):
        load_scene(tmp_path / "other.scene")
    with pytest.raises(SceneError, match="no scene of `retrosim scenes`; did you mean cross"):
        load_scene("cros")
    path.write_text("scene 1\r\nrom tanks\r\nobject x=40\r\n")
    assert load_scene(str(path)).objects == 1 and rom_of(path.read_text()) == "tanks"


def test_values_are_spelled_as_they_are_read():
    """Of every free field of every ROM: both ends, and 1."""
    for name in rom_names():
        rom = load_rom(name)
        for field in rom.scene.objects:
            if not field.is_free or field.names or field.sizes:
                continue
            for value in {field.minimum, field.maximum, max(1, field.minimum)}:
                text = f"scene 1\nrom {name}\n" + f"object {field.name}={in_unit(field, value)}\n" * (
                    1 + rom.scene.besides
                )
                assert parse_scene(text, rom).columns()[field.column][0] == value


def test_shipped_scenes_have_names_of_their_own_and_titles():
    found = [load_scene(path) for path in shipped_scenes()]
    assert len({Path(each.path).stem for each in found}) == len(found) >= 11
    assert all(each.title and each.description for each in found)
