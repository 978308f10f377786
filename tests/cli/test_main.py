"""The command line before any command: help, version, usage errors, exit statuses, and what is loaded."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import retrosim
from retrosim.cli import main
from retrosim.cli.commands import COMMANDS
from retrosim.errors import StateError

ROOT = Path(__file__).resolve().parents[2]
LOADED = "import sys; from retrosim.cli import main; s = main(sys.argv[1:]); print(s, *sys.modules, file=sys.stderr)"


def test_help_names_every_command_and_status(run) -> None:
    ran = run("--help")
    assert (ran.status, ran.err) == (0, "")
    for word in (*COMMANDS, "3 divergence", "4 bad or corrupt", "RETROSIM_HOME", "on a 25 MHz 68040"):
        assert word in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_without_a_command_there_is_help(run) -> None:
    assert run() == run("--help")


def test_help_of_a_command_and_of_a_topic(run) -> None:
    assert run("help") == run("--help")
    assert run("help", "cost") == run("cost", "--help")
    assert run("help", "memory") == run("guide", "memory")
    run("help", "nosuch").is_refused(2, "unknown topic 'nosuch'")


def test_every_command_is_a_module() -> None:
    folder = Path(retrosim.cli.commands.__file__).parent
    entries = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert entries == {"__init__", *COMMANDS}
    assert all((folder / f"{module.replace('.', '/')}.py").exists() for module in COMMANDS.values())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_describes_itself(run, command: str) -> None:
    ran = run(command, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: retrosim {command} ")
    assert ("--json" in ran.out) != (command == "completion")
    examples = ran.out.partition("examples:\n")[2]
    assert examples.startswith(f"  retrosim {command}")
    description = ran.out.split("\n\n")[1]
    assert description[0].isupper() and description.endswith(".") and "\n" not in description
    assert max(map(len, ran.out.splitlines())) <= 80


def test_version_is_that_of_the_project(run) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run("--version").out == f"retrosim {version}\n"
    assert retrosim.__version__ == version


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fly",), "unknown command 'fly' ("),
        (("runn",), "unknown command 'runn'; did you mean run?"),
        (("--headless",), "COMMAND"),
        (("run", "--headles"), "unknown option --headles; did you mean --headless?"),
        (("run", "--frame=5"), "unknown option --frame; did you mean --frames?"),
        (("run", "sectors", "again"), "unexpected argument 'again'"),
        (("run", "--frames"), "expected one argument"),
        (("run", "--frames", "0"), "'0': allowed 1..2147483647"),
        (("run", "--frames", "-5"), "--frames"),
        (("run", "--frames", "1e3"), "'1e3': allowed a whole number"),
        (("run", "--frames", "9" * 5000), "allowed"),
        (("run", "--speed", "3"), "'3': allowed 1/64, 1/32"),
        (("run", "--speed", "1/0"), "'1/0': allowed"),
        (("run", "--scale", "5"), "'5': allowed 1..4"),
        (("run", "--overlay", "shapes,lines"), "'lines': allowed shapes, tested, grid1"),
        (("run", "--overlay", "shape"), "did you mean shapes?"),
        (("run", "--overlay", "grid0"), "'grid0': allowed"),
        (("run", "--set", "objects"), "'objects': allowed NAME=N"),
        (("run", "--set", "objects=-1"), "'-1': allowed 0..4294967295"),
        (("run", "--engine", "warp"), "'warp': allowed auto, evaluate, interpret, recompile ("),
        (("run", "--engine", "recompiled"), "did you mean recompile?"),
        (("run", "--timing", "some"), "'some'"),
        (("record",), "TAPE"),
        (("record", "a.rtape", "--hash-every", "0"), "'0': allowed 1..2147483647"),
        (("verify",), "TAPE"),
        (("verify", "a.rtape", "--on", "native,"), "names separated by commas"),
        (("bench", "--objects", "0"), "'0': allowed 1..4194304"),
        (("list", "wishes"), "'wishes': allowed roms, machines, tapes ("),
        (("list", "tape"), "did you mean tapes?"),
    ],
)
def test_usage_errors_are_one_line(run, arguments: tuple[str, ...], words: str) -> None:
    ran = run(*arguments)
    ran.is_refused(2, words, "--help")
    assert len(ran.err) < 400


@pytest.mark.first_case
@pytest.mark.parametrize(
    "arguments", [(), ("--help",), ("--version",), ("run", "--help"), ("list", "--json"), ("run", "--x")]
)
def test_no_compiler_is_loaded_without_need(environment, arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    status, *modules = done.stderr.splitlines()[-1].split()
    assert status == ("2" if "--x" in arguments else "0")
    assert not {"numba", "pyglet", "rich"} & set(modules)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--machine", "mc68040-52"), "did you mean mc68040-25?"),
        (("run", "--build", "perod"), "on mc68040-25; did you mean period?"),
        (("run", "--set", "object=5"), "parameter 'object': allowed objects, seed; did you mean objects?"),
        (("run", "--memory", "copybak=0"), "did you mean copyback?"),
        (("timing", "--build", "perod"), "did you mean period?"),
        (("study", "--method", "point1"), "did you mean point-1?"),
        (("bench", "--engine", "unicron"), "did you mean unicorn?"),
        (("bench", "kernels", "--engine", "collide"), "did you mean collided?"),
        (("completion", "bsh"), "shell 'bsh': allowed bash, "),
        (("cost",), "missing FILE (retrosim cost --help)"),
        (("cost", "a.s", "--reg", "d0"), "'d0': allowed REGISTER=N"),
        (("cost", "a.s", "--against", "speed=3"), "'speed=3': allowed a file, or file, machine, "),
        (("run", "--screenshot", "a.jpg"), "'a.jpg': allowed a name that ends in .png"),
    ],
)
def test_unknown_names_bring_a_suggestion(run, arguments: tuple[str, ...], words: str) -> None:
    run(*arguments).is_refused(2, words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "sector"), "did you mean sectors?"),
        (
            ("replay", "strom-200"),
            "no such file, and no tape of `retrosim list tapes`; did you mean storm-200?",
        ),
        (("verify", "strom-200"), "did you mean storm-200?"),
        (("run", "storm-200"), "is a tape, not a program: `retrosim replay storm-200`"),
        (("replay", "sectors"), "is a ROM, not a tape: `retrosim run sectors`"),
        (("run", "."), "the folder has neither rom.toml nor retrosim.toml"),
    ],
)
def test_unknown_files_bring_a_suggestion(run, arguments: tuple[str, ...], words: str) -> None:
    run(*arguments).is_refused(4, words)


def test_package_names_are_there_when_asked_for() -> None:
    assert set(retrosim.__all__) <= set(dir(retrosim))
    for name in retrosim.__all__:
        assert getattr(retrosim, name) is not None
    assert retrosim.open_machine is retrosim.machine.open_machine
    with pytest.raises(AttributeError, match="has no attribute 'absent'"):
        retrosim.absent  # noqa: B018


def test_example_of_the_package_runs(capsys) -> None:
    example = retrosim.__doc__.partition("The public names")[0]
    lines = [line for line in example.splitlines() if line.startswith("    ")]
    exec("\n".join(line.removeprefix("    ") for line in lines), {})
    cycles, instructions, collided = map(int, capsys.readouterr().out.split())
    assert cycles > instructions > 10_000 and 0 < collided <= 100


def test_module_and_function_end_alike(start) -> None:
    process = start("list", "machines")
    out, err = process.communicate(timeout=180)
    assert (process.returncode, err) == (0, "")
    assert "mc68040-25" in out and "native" in out


def _raise(error: BaseException):
    def command(options: object) -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (KeyError("x"), 1, "unexpected KeyError: 'x' (RETROSIM_DEBUG=1 shows where)"),
        (ValueError("two\nlines"), 1, "unexpected ValueError: two lines (RETROSIM_DEBUG=1 shows where)"),
        (StateError("a\x1b[31mfile", "damaged"), 4, r"a\x1b[31mfile: damaged"),
        (MemoryError(), 1, "unexpected MemoryError: (RETROSIM_DEBUG=1 shows where)"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_happens_is_one_line(run, monkeypatch, error: BaseException, status: int, line: str) -> None:
    monkeypatch.setattr("retrosim.cli.commands.list.run", _raise(error))
    ran = run("list")
    ran.is_refused(status)
    assert ran.err == f"retrosim: {line}\n"


def test_an_interruption_while_a_class_is_made(run, monkeypatch) -> None:
    """Python 3.11 turns whatever a descriptor raises then into a RuntimeError."""
    error = RuntimeError("Error calling __set_name__")
    error.__cause__ = KeyboardInterrupt()
    monkeypatch.setattr("retrosim.cli.commands.list.run", _raise(error))
    ran = run("list")
    ran.is_refused(130)
    assert ran.err == "retrosim: interrupted\n"


@pytest.mark.parametrize("words", [("a" * 9000,), ("list", "roms", "a" * 9000), ("list", "--" + "a" * 9000)])
def test_long_arguments_are_not_quoted_whole(run, words: tuple[str, ...]) -> None:
    ran = run(*words)
    ran.is_refused(2, "aaa...")
    assert len(ran.err) < 400


def test_traceback_on_request(run, monkeypatch) -> None:
    monkeypatch.setattr("retrosim.cli.commands.list.run", _raise(KeyError("x")))
    monkeypatch.setenv("RETROSIM_DEBUG", "1")
    ran = run("list")
    assert ran.status == 1
    assert ran.err.startswith("retrosim: unexpected KeyError") and "Traceback" in ran.err


def test_arguments_of_the_process_are_the_default(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["retrosim", "list", "tapes", "--json"])
    assert main() == 0
    assert capsys.readouterr().out.startswith('{\n  "tapes"')


def test_reader_who_goes_away_is_no_error(start) -> None:
    process = start("list", "--json")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=180) == 141


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for other processes")
def test_control_c_ends_cleanly(start, tmp_path: Path) -> None:
    process = start("run", "--headless", "--frames", "100000000", "--screenshot", "shot.png")
    assert process.stderr.readline().startswith("retrosim: ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=180)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "retrosim: interrupted" and "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_run_does_not_wait_for_numba() -> None:
    """It takes a third of the time until the first frame; handlers and regions are compiled without it."""
    command = ("run", "sectors", "--headless", "--frames", "1", "--engine", "interpret")
    ended = subprocess.run([sys.executable, "-c", LOADED, *command], capture_output=True, text=True, check=True)
    loaded = ended.stderr.split()
    assert "0" in loaded and "llvmlite" in loaded and "numba" not in loaded


def test_prose_of_the_help_is_wrapped_for_a_narrow_terminal_and_examples_keep_their_lines(run, monkeypatch) -> None:
    prose = "The routine is your own or one of a ROM. Your own comes as an object or archive"
    example = "  retrosim cost mine.elf --entry blit --machine mc68040-25 --arg 64 --arg 0x3000"
    for columns in 60, 80, 120:
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = run("cost", "--help").out.splitlines()
        assert example in lines
        assert (prose in lines) == (columns >= 80)
        assert max(len(line) for line in lines if line[:1].strip()) <= columns


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_an_output_that_is_full_is_one_line(environment) -> None:
    command = [sys.executable, "-m", "retrosim", "list", "machines"]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True)
    line = "retrosim: the output: cannot be written: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (1, line)
