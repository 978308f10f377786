"""Scenes on the native machine and others: when they are placed; states and tapes keep them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from retrosim.errors import SceneError, StateError, TapeError
from retrosim.machine import NativeMachine, open_machine
from retrosim.rom import load_rom, load_scene, parse_scene
from retrosim.scenarios import SCENARIOS, load_scenario
from retrosim.tape import Player, load_tape, open_for, record_script, verify

HIT = {
    "cross": [1] * 8, "nested": [1] * 8, "thin-bars": [1] * 16, "mirrored": [1] * 8 + [0] * 8,
    "touching": [1] * 6 + [0] * 6, "touching-squares": [0, 1, 1] * 3 + [1, 1, 0],
    "mirrored-masks": [0] + [1] * 8 + [0] * 8,
}  # fmt: skip
"""What collides in the frame after the scene was placed."""


BY_ANOTHER_PROGRAM = "mirrored-masks"  # whose kernels are compiled for it
SCENES = [name for name in HIT if name != BY_ANOTHER_PROGRAM]


@pytest.mark.parametrize("name", [*SCENES, pytest.param(BY_ANOTHER_PROGRAM, marks=pytest.mark.full)])
def test_what_collides(name):
    machine = open_machine("native", scene=name)
    machine.run(frames=2)
    assert machine.world().columns["collided"].tolist() == HIT[name]


def test_a_missile_tunnels():
    machine = open_machine("native", scene="tunnelling-missile")
    machine.run(frames=2)
    world = machine.world().columns
    assert world["swept_hit"].tolist() == [1, 0, 1, 1, 1, 1] and world["plain_hit"].tolist() == [0, 0, 0, 1, 0, 1]


def test_a_scene_is_placed_when_the_first_frame_is_complete():
    """However the machine is run: by frames, instructions or cycles."""
    scene = load_scene("corners")
    for step in ({}, {"instructions": 4099}, {"cycles": 90011}):
        machine = open_machine("mc68000-8", scene=scene, engine="interpret")
        assert machine.parameters == {"objects": 6, "seed": 1994}
        while machine.frame_number < 1:
            assert not any(machine.world().columns["px"] == 610 * 32)
            machine.run(frames=1, **step)
        world = machine.world().columns
        for column in ("px", "py", "vx", "vy", "collided"):
            assert dict(enumerate(world[column].tolist())) == scene.columns()[column]


@pytest.mark.parametrize(
    "name",
    ["thin-bars", pytest.param("mirrored-masks", marks=pytest.mark.full), "tunnelling-missile", "first-hit", "corners"],
)
def test_native_states_keep_the_scene(name):
    straight = open_machine("native", scene=name)
    other = NativeMachine(straight.rom, parameters={"objects": 2})
    for _ in range(4):
        other.load(straight.save())
        assert other.save() == straight.save() and other.scene.places == straight.scene.places
        assert np.array_equal(other.frame, straight.frame) and other.world() == straight.world()
        assert other.hash("machine") == straight.hash("machine")
        for each in (straight, other):
            each.run(frames=1)
        assert other.world() == straight.world()
    other.reset()
    assert other.save() == open_machine("native", scene=name).save()
    other.load(NativeMachine(straight.rom).save())
    assert other.scene is None


def test_states_of_simulated_machines_keep_the_scene():
    options = {"engine": "evaluate", "timing": "off"}
    straight = open_machine("mc68000-8", scene="tunnelling-missile", **options)
    other = open_machine("mc68000-8", "tunnel", parameters={"objects": 1}, **options)
    straight.run(instructions=50)
    other.load(straight.save())
    snapshot = other.snapshot()
    assert other.scene.text == straight.scene.text and other.save() == straight.save()
    other.scene = None
    other.restore(snapshot)
    assert other.scene.text == straight.scene.text
    plain = open_machine("mc68000-8", "tunnel", **options)
    assert b'"scene"' not in plain.save()[:4000]
    other.load(plain.save())
    assert other.scene is None


def test_settings_that_contradict_a_scene():
    with pytest.raises(ValueError, match="objects 5: allowed 8, those of the scene"):
        open_machine("native", scene="cross", parameters={"objects": 5})
    assert open_machine("native", scene="cross", parameters={"seed": 5}).parameters == {"objects": 8, "seed": 5}
    with pytest.raises(SceneError, match="rom tanks: the scene is not for sectors"):
        open_machine("mc68000-8", "sectors", scene="cross", engine="evaluate")


def test_kernels_check_what_a_strangers_manifest_allows():
    """A manifest may say what it likes of a ROM that has kernels; they stay within their arrays."""
    for name in SCENARIOS:
        rom = load_rom(name)
        targets = load_scenario(name)(rom, {"objects": rom.parameters["objects"].maximum, "seed": 1}).targets()
        for field in (*rom.scene.objects, *rom.scene.singles):
            _, minimum, maximum = targets[field.column]
            assert field.sizes or minimum <= field.minimum <= field.maximum <= maximum, (name, field.name)
        with pytest.raises(ValueError, match="column 'pad': allowed"):
            load_scenario(name)(rom, {"objects": 1, "seed": 1}).check_placed({"pad": {0: 0}})
    state = load_scenario("xquest")(load_rom("xquest"), {"objects": 2, "seed": 1})
    for columns in (
        {"shape": {0: 9}}, {"shape": {0: 9}, "wide": {0: 31}, "high": {0: 30}}, {"px": {2: 300}}, {"px": {0: 0}},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="allowed"):
            state.check_placed(columns)


def test_hostile_states(monkeypatch):
    machine = open_machine("native", scene="mirrored-masks")
    machine.run(frames=3)
    monkeypatch.setattr(machine._scenario, "placed", lambda: dict.fromkeys(("wide", "high", "shape"), np.full(17, 200)))
    state = machine.save()
    with pytest.raises(StateError, match=r"greatest wide 200: allowed 1\.\.31"):
        open_machine("native", "xquest").load(state)


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tapes") / "cross.rtape"
    record_script(path, open_machine("native", scene="cross"), 12, "0 pad=0; 5 pad=4", hash_every=4)
    return path


def test_a_tape_embeds_its_scene(tape: Path):
    read = load_tape(tape)
    assert read.minor == 1 and read.scene == load_scene("cross").text and read.encode() == tape.read_bytes()
    assert tape.read_bytes().startswith(b"RTAPE 1.1\n") and b"\nSCENE rom tanks|" in tape.read_bytes()
    machine = open_for(read, "native")
    assert machine.scene is None
    player = Player(read, machine)
    assert machine.scene.text == read.scene and player.run() and player.world_ok and player.machine_ok
    without = tape.parent / "without.rtape"
    record_script(without, open_machine("native", "tanks", parameters={"objects": 3}), 2)
    assert without.read_bytes().startswith(b"RTAPE 1.0\n")
    again = Player(load_tape(without), machine)
    assert machine.scene is None and again.run() and again.world_ok


def test_a_tape_with_a_scene_is_the_same_on_other_machines(tape: Path):
    report = verify([tape], ["mc68000-8", "i386dx-33"], opener=lambda t, name: open_for(t, name, engine="interpret"))
    assert [result["world_ok"] for result in report["tapes"][0]["results"]] == [True, True]


def test_tapes_with_impossible_scenes(tape: Path):
    from retrosim.tape import parse_tape
    from retrosim.tape.format import write_start
    from retrosim.tape.records import Input, SceneLine, write_record

    head = load_tape(tape).header

    def data(*records) -> bytes:
        return write_start(head, 1) + b"".join(write_record(record) for record in records)

    late = data(Input(0, {"pad": 0}), SceneLine("scene 1"))
    with pytest.raises(TapeError, match="line 4: a scene line comes before all others"):
        parse_tape(late)
    long = data(*[SceneLine("#" + "x" * 300)] * 300)
    with pytest.raises(TapeError, match="the scene is longer than 65536 bytes"):
        parse_tape(long)
    for lines, message in (
        (["scene 1", "rom tanks", "object x=1"], r"its scene: line 3: x 1: allowed 32\.\."),
        (["scene 1", "rom tanks", "object"], "objects 8: allowed 1, those of the scene"),
    ):
        wrong = parse_tape(data(*map(SceneLine, lines), Input(0, {"pad": 0})), "wrong.rtape")
        with pytest.raises(TapeError, match=message):
            Player(wrong, open_machine("native", "tanks"))


def test_golden_tape_of_version_1_1_plays_for_ever():
    read = load_tape(Path(__file__).parent / "golden-1.1.rtape")
    assert (read.minor, read.frames, read.is_complete) == (1, 90, True)
    player = Player(read, open_for(read, "native"))
    assert player.run() and player.world_ok and player.compared == 4


def test_a_scene_needs_as_many_objects_as_the_program_has():
    """A program without the parameter says itself how many objects it has."""
    from retrosim.machine import placing

    rom = load_rom("tunnel")
    scene = parse_scene("scene 1\nrom tunnel\n" + "object x=100\n" * 3, rom)
    with pytest.raises(SceneError, match="3 objects: the program has 2"):
        list(placing.writes_of(scene, rom, rom.image("m68000"), lambda address: 2))
