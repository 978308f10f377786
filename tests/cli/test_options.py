"""Options that would do nothing, values and files that cannot be meant: each is refused in one line that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

IGNORED = [
    ("run --top 5", "--top: needs --profile"),
    ("run --source . --frames 1", "--source: needs --profile, --callgrind, --speedscope or --perfetto"),
    ("run --headless --speed 2", "--speed: needs a window, and --headless opens none"),
    ("run --screenshot a.png --scale 2", "--scale: needs a window, and --screenshot opens none"),
    ("run --max-seconds 9 --fullscreen", "--fullscreen: needs a window, and --max-seconds opens none"),
    ("run --frames 1 --causes", "--causes: needs --profile or a window, and --frames opens none"),
    (
        "run --frames 1 --gdb 0",
        "--gdb: needs a window, and --frames opens none; without one use `retrosim gdb sectors`",
    ),
    ("replay storm-200 --every 3", "--every: needs --export"),
    ("replay storm-200 --json --causes", "--causes: needs a window, and --json opens none"),
    ("record a.rtape --frames 1 --overlay shapes", "--overlay: needs a window or --screenshot"),
    ("record a.rtape --input 0 --speed 1", "--speed: needs a window, and --input opens none"),
    ("cost none.s --search 4", "--search: needs --bounds"),
    ("cost none.s --loop a=4", "--loop: needs --bounds"),
    ("cost none.s --bounds --html a.html", "--html: not allowed with --bounds"),
    ("cost none.s --bounds --top 3", "--top: not allowed with --bounds"),
    ("cost none.s --jobs 4", "--jobs: needs --sweep"),
    ("cost objects --sweep n=1..3", "--sweep n: is no parameter of objects; for an argument of the call add --arg n"),
    ("study --sectors --balance", "--balance: not allowed with --sectors"),
    ("timing --causes --jobs 3", "--jobs: not allowed with --causes"),
    ("dap --json", "--json: needs --port"),
    ("replay storm-200 --force", "--force: needs --screenshot or --export"),
    ("timing --force", "--force: needs --html"),
    ("cost sectors --force", "--force: needs --html, --callgrind, --speedscope or --perfetto"),
    ("bench kernels --force", "--force: needs --output"),
    ("asm none.s --cpu m68000 --listing --json", "--listing: not allowed with --json"),
    ("--headless", "missing COMMAND before --headless"),
]


@pytest.mark.parametrize(("line", "message"), IGNORED, ids=[line for line, _ in IGNORED])
def test_no_option_is_ignored(run, line: str, message: str) -> None:
    run(*line.split()).is_refused(2, message)


VALUES = [
    ("run --frames 1 --profile --source nowhere", 2, "--source: 'nowhere': allowed a folder that exists"),
    ("run sectors --at 0x3000", 2, "--at 0x3000: needs a flat binary, and sectors is a ROM"),
    ("replay storm-200 --export a.doc", 2, "'a.doc': allowed a name that ends in .gif, .apng, .mp4"),
    ("replay noise.s", 4, "noise.s: line 1: not a retrosim tape"),
    ("asm rts.s --cpu m68000 --org 0x800000", 2, "--org: '0x800000': allowed 0x400..0x7fffff"),
    ("asm rts.s --cpu m68000 --source x", 2, "unknown option --source"),
    ("asm empty.s --cpu m68000", 4, "empty.s: has neither code nor data"),
    ("build empty.s", 4, "empty.s: has neither code nor data"),
    ("build rts.s --machine native", 2, "machine 'native': allowed mc68000-8"),
    ("build rts.s --machine mc68000", 2, "machine 'mc68000': allowed mc68000-8"),
    ("run x.bin --at 0x1000000", 2, "--at: '0x1000000': allowed 0x0..0xffffff"),
    ("timing --only", 2, "unknown option --only (retrosim timing --help)"),
    ("timing --detail", 2, "unknown option --detail; did you mean --details?"),
    ("timing --machine none", 2, "ppc601-80, i80286-12, i386dx-33, i486dx2-66"),
    ("run --frames x", 2, "retrosim: --frames: 'x': allowed a whole number"),
    ("run --frames", 2, "retrosim: --frames: expected one argument"),
    ("run --max-seconds 1000000001", 2, "allowed 1..1000000000"),
    ("asm noise.s --cpu m68000", 4, "noise.s: is a binary file, not a source"),
    ("asm . --cpu m68000", 4, ".: cannot be read: not a regular file"),
    ("asm rts.s --cpu i386", 4, "rts.s: is assembly for m68000, not for i386; choose mc68000-8 or mc68000-mac"),
    ("run rts.s --machine ppc601-80 --frames 1", 4, "rts.s: is assembly for m68000, not for ppc601"),
    ("run cross", 4, "cross: is a scene, not a program: `retrosim run --scene cross`"),
    ("replay cross", 4, "cross: is a scene, not a tape: `retrosim run --scene cross`"),
    ("scenes storm-200", 4, "storm-200: is a tape, not a scene: `retrosim replay storm-200`"),
    ("insn add.q", 2, "did you mean add.w?"),
    ("race storm-200 --on native,native", 2, "--on: 1 machine: allowed 2..4 different ones"),
    ("new game --cpu native", 2, "cpu 'native': allowed m68000, m68040, ppc601, i386, i486, mc68000-8"),
]


@pytest.mark.parametrize(("line", "status", "message"), VALUES, ids=[line for line, _, _ in VALUES])
def test_values_and_files_that_cannot_be_meant(run, line: str, status: int, message: str) -> None:
    Path("empty.s").write_text("N equ 5\n")
    Path("rts.s").write_text("main: rts\n")
    Path("noise.s").write_bytes(bytes(range(256)) * 4)
    run(*line.split()).is_refused(status, message)


def test_a_project_is_not_built_for_another_processor(run) -> None:
    assert run("new", "game", "--cpu", "m68000").status == 0
    advice = "main.s: is assembly for m68000, not for i486; choose mc68000-8 or mc68000-mac"
    run("build", "game", "--machine", "i486dx2-66").is_refused(4, advice)
    run("run", "game", "--at", "0x3000").is_refused(2, "at 0x3000: allowed for a flat binary only")


def test_constants_alone_can_be_linked_with_code(run) -> None:
    Path("code.s").write_text("main: rts\n")
    Path("numbers.s").write_text("N equ 5\n")
    assert run("build", "code.s", "numbers.s", "--machine", "mc68000-8").out.startswith("code.elf: mc68000-8, 2 bytes")


def test_a_tape_goes_on_as_it_was_begun(run) -> None:
    assert run("record", "a.rtape", "--frames", 2, "--machine", "native").status == 0
    lines = Path("a.rtape").read_bytes().splitlines(keepends=True)
    Path("a.rtape").write_bytes(b"".join(lines[:3]))
    go_on = ("record", "a.rtape", "--continue", "--frames", 4)
    run(*go_on, "--machine", "mc68040-25").is_refused(2, "machine mc68040-25: a.rtape was begun with native")
    run(*go_on, "--objects", 5).is_refused(2, "objects 5: a.rtape was begun with 200, and goes on with that")
    assert run(*go_on, "--objects", 200).status == 0
