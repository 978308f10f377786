"""`retrosim record`, `replay` and `verify` without a window."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import sys
import time
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.cli import main
from retrosim.machine import PRESETS, Machine
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from retrosim.tape import Hash, Input, Tape, load_tape
from tests.helpers.amount import FULL

SCRIPT = "0 pad=8; 20 pad=0; 40 pad=16; 41 pad=1"
RECORD = ("--objects", 12, "--seed", 11, "--frames", 60, "--hash-every", 10)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A tape recorded on the default machine, once for all tests."""
    path, said = tmp_path_factory.mktemp("recorded") / "mine.rtape", io.StringIO()
    words = ("record", path, *RECORD, "--input", SCRIPT, "--title", "Mine", "--author", "me")
    with redirect_stdout(said):
        assert main([str(word) for word in words]) == 0
    assert said.getvalue() == f"{path}: 60 frames on mc68040-25, 4 input lines\n"
    return path.read_bytes()


@pytest.fixture
def tape(run, recorded: bytes, tmp_path: Path) -> Path:
    """A copy of that tape, in the folder where the commands run."""
    path = tmp_path / "mine.rtape"
    path.write_bytes(recorded)
    return path


def write(tape: Tape, path: Path) -> Path:
    """Write a tape whose lines are whole, whatever they say."""
    path.write_bytes(tape.encode())
    return path


def changed(path: Path, kind: type, frame: int, **fields: object) -> Tape:
    """Return a tape with other fields in one record."""
    tape = load_tape(path)
    records = (
        replace(record, **fields) if isinstance(record, kind) and record.frame == frame else record
        for record in tape.records
    )
    return replace(tape, records=tuple(records))


def test_recorded_is_what_was_asked_for(tape) -> None:
    found = load_tape(tape)
    assert (found.title, found.header["author"], found.machine) == ("Mine", "me", "mc68040-25")
    assert found.parameters == {"objects": 12, "seed": 11}
    assert [(line.frame, line.states["pad"]) for line in found.inputs] == [(0, 8), (20, 0), (40, 16), (41, 1)]
    assert [line.frame for line in found.hashes] == [9, 19, 29, 39, 49, 59]
    assert all(set(line.machines) == {"mc68040-25"} for line in found.hashes)


def test_equal_recordings_are_equal_files(run, tape, tmp_path) -> None:
    (tmp_path / "script.txt").write_text(SCRIPT.replace(";", "\n"))
    labels = ("--title", "Mine", "--author", "me")
    result = run("record", "again.rtape", *RECORD, *labels, "--input", "@script.txt", "--json").json()
    assert (tmp_path / "again.rtape").read_bytes() == tape.read_bytes()
    assert result.pop("engine") in ("interpret", "recompile")  # by what the cache holds
    assert result == {
        "path": "again.rtape",
        "machine": "mc68040-25",
        "parameters": {"objects": 12, "seed": 11},
        "frames": 60,
        "inputs": 4,
        "hashes": 6,
        "reason": "frames",
        "budget": None,
    }


def test_folder_gets_numbered_tapes(run, tmp_path) -> None:
    (tmp_path / "tapes").mkdir()
    for number in (1, 2):
        ran = run("record", "tapes", "--headless", "--machine", "native", "--frames", 5)
        path = Path("tapes", f"sectors-00{number}.rtape")
        assert ran.out == f"{path}: 5 frames on native, 1 input line\n"
    assert run("record", "long.rtape", "--headless", "--machine", "native", "--json").json()["frames"] == 600


def test_tapes_are_never_overwritten(run, tape, tmp_path) -> None:
    before = tape.read_bytes()
    run("record", tape, "--frames", 5).is_refused(1, "mine.rtape", "exists already")
    run("record", tape, "--frames", 5, "--force").is_refused(2, "--force")
    (tmp_path / "link.rtape").symlink_to(tmp_path / "nothing")
    run("record", "link.rtape", "--frames", 5).is_refused(1, "link.rtape", "exists already")
    assert tape.read_bytes() == before
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("nowhere/a.rtape", "--frames", "5"), 1, "no folder nowhere"),
        (("x" * 300, "--frames", "5"), 1, "xxx"),
        (("a.rtape", "--frames", "0"), 2, "'0': allowed 1.."),
        (("a.rtape", "--input", "soon pad=1"), 2, "'soon pad=1' is not a frame number"),
        (("a.rtape", "--input", "9 pad=1; 8 pad=0"), 2, "frame 8 does not come after frame 9"),
        (("a.rtape", "--frames", "5", "--input", "5 pad=1"), 2, "frame 5 is not in the recorded frames 0..4"),
        (("a.rtape", "--input", "0 pad=32"), 2, "pad 32: allowed 0..31"),
        (("a.rtape", "--input", "0 mouse=1"), 2, "device 'mouse': allowed pad"),
        (("a.rtape", "--input", "@nowhere"), 1, "nowhere: no such file"),
        (("a.rtape", "--frames", "5", "--title", "x" * 201), 2, "'title' must be one line of at most 200"),
        (("a.rtape", "--machine", "z80"), 2, "machine 'z80': allowed"),
        (("a.rtape", "--build", "O9"), 2, "build 'O9': allowed"),
        (("a.rtape", "--objects", "0"), 2, "objects 0: allowed 1..200"),
        (("a.rtape", "--rom", "nowhere"), 4, "no such ROM"),
        (("a.rtape",), 1, "record without one: retrosim record TAPE --headless"),
    ],
)
def test_recordings_that_cannot_be(run, tmp_path, arguments, status: int, words: str) -> None:
    run("record", *arguments).is_refused(status, words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for other processes")
def test_interrupted_recording_is_kept(run, start, tmp_path) -> None:
    process = start("record", "long.rtape", "--frames", "10000000", "--objects", "5")
    path = tmp_path / "long.rtape"
    while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") > 10):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=180)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "retrosim: interrupted; long.rtape can be replayed up to here"
    ran = run("verify", "long.rtape", "--on", "native")
    assert ran.status == 4 and "--allow-partial accepts it" in ran.err
    ran = run("verify", "long.rtape", "--on", "native", "--allow-partial")
    assert ran.status == 0
    assert "the recording was interrupted: recovered to frame" in ran.out


def test_replay_compares_every_hash(run, tape, tmp_path) -> None:
    ran = run("replay", tape, "--headless")
    assert (ran.status, ran.err) == (0, "")
    assert "6 hash lines: world ok, machine ok" in ran.out
    result = run("replay", tape, "--machine", "native", "--json", "--screenshot", "end.png").json()
    shown = {key: result[key] for key in ("machine", "frames", "compared", "world_ok", "machine_ok", "verified")}
    assert shown == {
        "machine": "native",
        "frames": 60,
        "compared": 6,
        "world_ok": True,
        "machine_ok": None,
        "verified": True,
    }
    assert result["world"] == load_tape(tape).hashes[-1].world
    assert run("replay", tape, "--screenshot", "end-too.png").status == 0
    assert (tmp_path / "end.png").read_bytes() == (tmp_path / "end-too.png").read_bytes()
    run("replay", tape, "--screenshot", "end.png").is_refused(1, "end.png", "exists already")
    assert run("replay", tape, "--screenshot", "end.png", "--force").status == 0


def test_replay_of_a_part(run, tape) -> None:
    result = run("replay", tape, "--frames", 25, "--json").json()
    assert (result["frames"], result["compared"], result["world_ok"]) == (25, 2, True)
    assert run("replay", tape, "--frames", 500, "--json").json()["frames"] == 60


def test_replay_into_a_clip(run, tape, tmp_path) -> None:
    pytest.importorskip("PIL.Image", reason="Pillow, of the extra retrosim[clips], is not installed")
    result = run("replay", tape, "--machine", "native", "--export", "a.gif", "--every", 7, "--json").json()
    assert (result["frames"], result["compared"], result["pictures"]) == (60, 6, 9)
    assert (tmp_path / "a.gif").read_bytes()[:6] == b"GIF89a"
    run("replay", tape, "--export", "a.gif").is_refused(1, "a.gif: exists already")
    run("replay", tape, "--export", "a.avi").is_refused(2, "ends in .gif, .apng, .mp4")


def test_replay_without_a_display(run, tape) -> None:
    ran = run("replay", tape, "--speed", "2")
    assert ran.status == 0
    assert ran.err == "retrosim: no display (DISPLAY is not set); replaying without a window\n"
    assert "60 frames" in ran.out


def test_replay_that_diverges(run, tape, tmp_path) -> None:
    bad = write(changed(tape, Input, 20, states={"pad": 2}), tmp_path / "bad.rtape")
    ran = run("replay", bad, "--headless")
    assert ran.status == 3
    assert "world DIVERGED" in ran.out
    assert re.fullmatch(r"retrosim: .*bad\.rtape: diverged on mc68040-25: world \w+ after frame 29, .*\n", ran.err)


@pytest.mark.full
def test_verify_on_all_machines(run, tape) -> None:
    report = run("verify", tape, "--on", "all", "--json").json()
    assert [set(entry) for entry in report["tapes"]] == [{"path", "frames", "complete", "note", "results"}]
    (entry,) = report["tapes"]
    assert (entry["path"], entry["frames"]) == (str(tape), 60)
    results = {result["machine"]: result for result in entry["results"]}
    isas = {info.isa for info in load_rom("sectors").images}
    assert list(results) == [*(name for name, preset in PRESETS.items() if preset.isa in isas), "native"]
    for result in results.values():
        assert {"machine", "world_ok", "machine_ok", "first_bad_frame"} <= set(result)
        assert (result["world_ok"], result["first_bad_frame"], result["compared"]) == (True, None, 6)
    assert (results["mc68040-25"]["machine_ok"], results["native"]["machine_ok"]) == (True, None)


@pytest.mark.full
def test_verify_in_processes(run, tape) -> None:
    """However many do it, the report is the same; of a complete run nothing is left to resume."""
    other = write(changed(tape, Input, 20, states={"pad": 2}), tape.with_name("other.rtape"))
    second = "calm-200" if FULL else other
    command = ("verify", tape, second, "nowhere", "--on", "native,mc68040-25", "--json")
    alone, both = run(*command, "--jobs", 1), run(*command, "--jobs", 2, "--resume")
    assert (both.status, both.out, both.err) == (alone.status, alone.out, alone.err)
    run("verify", tape, "--jobs", 0).is_refused(2, "--jobs", "1..256")
    run("verify", tape, "--jobs", 2, "--scheduler", "tcp://127.0.0.1:9").is_refused(2, "not allowed with")


def test_verify_for_people(run, tape) -> None:
    ran = run("verify", tape, tape, "--on", "mc68040-25", "--engine", "interpret")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"{tape}: 60 frames\n  mc68040-25  world ok (6 hash lines), machine ok\n"


def _push(monkeypatch, frame: int, symbol: str, offset: int) -> None:
    """Make every simulated machine change one byte after a frame."""
    run_whole = Machine.run

    def run(self, frames=None, **limits):
        for _ in range(frames):
            result = run_whole(self, frames=1, **limits)
            if self.frame_number - 1 == frame:
                self.mem[self.address(symbol) + offset] ^= 1
        return result

    monkeypatch.setattr(Machine, "run", run)


def test_verify_names_the_frame_and_the_field(run, tape, monkeypatch) -> None:
    _push(monkeypatch, 37, "gMotion", 8 * 3 + 1)  # low byte of the position of object 3
    ran = run("verify", tape)
    assert (ran.status, ran.err) == (3, "")
    assert re.search(r"mc68040-25  world DIVERGED .* first bad frame 37: px\[3\] is -?\d+, native has -?\d+", ran.out)
    assert "native      world ok (6 hash lines)" in ran.out
    ran = run("verify", tape, "--json")
    assert ran.status == 3
    result = json.loads(ran.out)["tapes"][0]["results"][0]
    shown = {key: result[key] for key in ("first_bad_frame", "exact", "field", "index", "trusted")}
    assert shown == {"first_bad_frame": 37, "exact": True, "field": "px", "index": 3, "trusted": "native"}
    assert result["found"] == result["expected"] ^ 1


def test_verify_names_a_difference_beside_the_world(run, tape, tmp_path) -> None:
    world, other = load_tape(tape).hashes[3].world, {"mc68040-25": ("0" * 16, 1)}
    bad = write(changed(tape, Hash, 39, machines=other), tmp_path / "bad.rtape")
    ran = run("verify", bad)
    assert ran.status == 3
    assert "world ok (6 hash lines), machine DIVERGED; first bad frame 39" in ran.out
    assert f"{world}" not in ran.out and "two machines mc68040-25 agree with each other" in ran.out


@pytest.mark.parametrize("command", [("verify",), ("replay", "--headless")])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RTAPE",
        b"RTAPE 1.0\n",
        b"RTAPE 2.0\n{}|00000000\n",
        b"\x7fELF" + bytes(100),
        bytes(100_000),
        b"RTAPE 1.0\n" + b"[" * 100_000,
    ],
    ids=["empty", "cut", "no header", "newer", "ELF", "zeros", "nested"],
)
def test_files_that_are_no_tapes(run, tmp_path, command, content: bytes) -> None:
    (tmp_path / "bad.rtape").write_bytes(content)
    run(*command, "bad.rtape").is_refused(4, "bad.rtape: line ")
    assert (tmp_path / "bad.rtape").read_bytes() == content


@pytest.mark.parametrize("name", ["nowhere.rtape", ".", "/dev/zero", "y" * 300])
def test_tapes_that_are_not_there(run, name: str) -> None:
    run("verify", name).is_refused(4, name[:20])
    run("replay", name).is_refused(4, name[:20])


def test_damaged_line_is_named(run, tape, tmp_path) -> None:
    lines = tape.read_bytes().splitlines(keepends=True)
    assert lines[3].startswith(b"=9 ")
    lines[3] = b"=8 " + lines[3][3:]
    (tmp_path / "bad.rtape").write_bytes(b"".join(lines))
    run("verify", "bad.rtape").is_refused(4, "bad.rtape: line 4: the checksum differs")
    (tmp_path / "torn.rtape").write_bytes(tape.read_bytes()[:-90])
    ran = run("verify", "torn.rtape")
    assert ran.status == 4 and "recovered to frame" in ran.out
    assert run("verify", "torn.rtape", "--allow-partial").status == 0


def test_nothing_compared_is_not_verified(run, tape, tmp_path) -> None:
    (tmp_path / "cut.rtape").write_bytes(b"".join(tape.read_bytes().splitlines(keepends=True)[:2]))
    for options in ((), ("--allow-partial",)):
        ran = run("verify", "cut.rtape", "--on", "native", *options)
        assert ran.status == 4 and "cut.rtape: not verified: nothing was compared" in ran.err
    shipped = load_tape(tape)
    write(replace(shipped, header=shipped.header | {"roms": []}), tmp_path / "bare.rtape")
    ran = run("verify", "bare.rtape", "--on", "mc68040-25")
    assert ran.status == 4 and "does not say with which m68040 image" in ran.out and "nothing was compared" in ran.err


def test_tapes_of_the_package_are_called_by_their_names(run) -> None:
    replayed = run("replay", "wind-50", "--machine", "native", "--headless", "--frames", 2)
    assert replayed.out.startswith("wind-50 on native: 2 frames, ")
    refused = run("verify", "gem-run", "--rom", "sectors", "--on", "native")
    assert refused.out.startswith("gem-run: 600 frames\n  native  not played: gem-run: recorded with ROM 'xquest', ")
    assert refused.err == "retrosim: gem-run: not verified: nothing was compared\n"
    (entry,) = json.loads(run("verify", "gem-run", "--rom", "sectors", "--on", "native", "--json").out)["tapes"]
    assert entry["path"].endswith("gem-run.rtape"), "for programs, the file"
    run("replay", "gem-run", "--rom", "sectors", "--headless").is_refused(4, "retrosim: gem-run: recorded with ROM")


def test_a_shipped_tape_is_not_continued_by_its_name(run) -> None:
    run("record", "gem-run", "--continue", "--frames", 1).is_refused(4, "gem-run: no such file")


def test_one_bad_file_does_not_stop_the_others(run, tape, tmp_path) -> None:
    (tmp_path / "bad.rtape").touch()
    ran = run("verify", "bad.rtape", tape)
    assert ran.status == 4
    assert ran.err.startswith("retrosim: bad.rtape: line 1:") and ran.err.count("\n") == 1
    assert "mc68040-25  world ok" in ran.out


def test_another_rom_is_refused_unless_allowed(run, tape, tmp_path) -> None:
    shipped = load_tape(tape)
    roms = [entry | {"sha256": "0" * 64} for entry in shipped.header["roms"]]
    other = write(replace(shipped, header=shipped.header | {"roms": roms}), tmp_path / "other.rtape")
    ran = run("verify", other, "--on", "mc68040-25")
    assert ran.status == 4 and "it can only be replayed unverified" in ran.out
    run("replay", other, "--headless").is_refused(4, "other m68040 images")
    ran = run("verify", other, "--on", "mc68040-25", "--unverified")
    assert ran.status == 0 and "UNVERIFIED" in ran.out
    ran = run("replay", other, "--headless", "--unverified")
    assert ran.status == 0 and "UNVERIFIED" in ran.out
    run("replay", tape, "--rom", tmp_path / "nowhere", "--headless").is_refused(4, "no such file")


def test_machine_of_another_time(run, tape, tmp_path) -> None:
    shipped = load_tape(tape)
    machines = {"z80-4": shipped.header["machines"]["mc68040-25"]}
    lines = [replace(line, machines={}) if isinstance(line, Hash) else line for line in shipped.records]
    header = shipped.header | {"machine": "z80-4", "machines": machines}
    old = write(replace(shipped, header=header, records=tuple(lines)), tmp_path / "old.rtape")
    run("replay", old, "--headless").is_refused(4, "old.rtape", "machine 'z80-4': allowed")
    run("verify", old).is_refused(4, "old.rtape", "machine 'z80-4'")
    assert run("replay", old, "--machine", "native", "--headless").status == 0
    assert run("verify", old, "--on", "all" if FULL else "native,mc68000-8").status == 0


@pytest.mark.full
def test_rom_of_ones_own(run, tmp_path) -> None:
    """It has no native kernels, so none are asked."""
    shutil.copytree(load_rom("sectors").path, tmp_path / "folder")
    manifest = tmp_path / "folder" / "rom.toml"
    manifest.write_text(manifest.read_text().replace('name = "sectors"', 'name = "mine"', 1))
    for image in (tmp_path / "folder").glob("sectors-*.elf"):
        image.rename(image.with_name(image.name.replace("sectors", "mine", 1)))
    assert run("record", "a.rtape", "--rom", "folder", "--frames", 5, "--hash-every", 5).status == 0
    for machines in ((), ("--on", "all", "--jobs", 1)):
        report = run("verify", "a.rtape", "--rom", "folder", "--json", *machines).json()
        results = {result["machine"]: result["world_ok"] for result in report["tapes"][0]["results"]}
        assert results["mc68040-25"] and "native" not in results
    run("verify", "a.rtape").is_refused(4, "a.rtape: mine: no such file or folder, and no such ROM")
    run("replay", "a.rtape").is_refused(4, "mine: no such file or folder, and no such ROM")
    assert run("replay", "a.rtape", "--rom", "folder", "--headless").status == 0
    run("run", "folder", "--machine", "native", "--headless").is_refused(2, f"allowed {', '.join(SCENARIOS)}")


@pytest.mark.full
def test_another_rom_that_comes_with_it(run, tmp_path) -> None:
    """`xquest` is run, recorded, replayed and verified by its name, with its own default parameters."""
    ran = run("run", "xquest", "--headless", "--frames", 12, "--json").json()
    assert (ran["rom"], ran["parameters"]) == ("xquest", {"objects": 60, "seed": 1995})
    assert run("run", "xquest", "--machine", "native", "--frames", 12, "--json").json()["world"] == ran["world"]
    pads = ("--input", "2 pad=2; 5 pad=24")
    assert run("record", "a.rtape", "--rom", "xquest", "--frames", 12, "--hash-every", 4, *pads).status == 0
    assert run("replay", "a.rtape", "--machine", "native", "--json").json()["world_ok"]
    (entry,) = run("verify", "a.rtape", "--json").json()["tapes"]
    found = {each["machine"]: each["world_ok"] for each in entry["results"]}
    assert found == {"mc68040-25": True, "native": True}


def test_bad_arguments_of_replay_and_verify(run, tape) -> None:
    run("replay", tape, "--machine", "z80").is_refused(2, "machine 'z80': allowed")
    run("replay", tape, "--machine", "native", "--engine", "evaluate").is_refused(2, "--engine: does not apply")
    run("verify", tape, "--on", "all,native").is_refused(2, "machine 'all': allowed")
    run("verify", tape, "--on", "z80").is_refused(2, "machine 'z80': allowed")
    run("replay", tape, "--frames", "0").is_refused(2, "'0': allowed 1..")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_folder_without_permission(run, tmp_path) -> None:
    (tmp_path / "mine").mkdir(mode=0o500)
    run("record", "mine/a.rtape", "--frames", 1).is_refused(1, "mine")
