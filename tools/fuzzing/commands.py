"""The command line: options and arguments in any combination, each line in a process of its own."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import resource
import shutil
import signal
import sys
import time
from functools import cached_property
from pathlib import Path
from random import Random

from .loaders import scratch_folder, shipped
from .mutations import NUMBERS, TEXTS, changed_bytes
from .target import MAX_BYTES, MAX_SECONDS, ROOT, Find, Target, is_too_long

SECONDS = 0.3  # after which a command that was accepted is interrupted, as by Ctrl-C
STATUSES = {0, 1, 2, 3, 4, 5, 130, 141}
REFUSED, INTERRUPTED = {2, 4}, 130
WORDS = (
    "sectors", "xquest", "masks", "native", "mc68040-25", "i386dx-33", "ppc601-80", "all", "good.rtape", "torn.rtape",
    "junk.bin", "empty", "folder", "nowhere", "masks.elf", "big.elf", "rom", "-", "1", "5", "@junk.bin", "@empty",
    "0 pad=2; 3 pad=16", "objects=5", "full", "off", "evaluate", "recompile", "code=1", "shapes,grid1",
    "DetermineCollisions", "0x1000", "1/4", "out.png", "out.rtape",
)  # fmt: skip


class CommandLine(Target):
    name, about, ci_inputs = "command", "command lines, each in a process of its own", 50

    @cached_property
    def commands(self) -> dict[str, list[argparse.Action]]:
        from retrosim.cli.commands import COMMANDS
        from retrosim.cli.parser import build_parser

        found = {}
        for name in COMMANDS:
            (sub,) = (a for a in build_parser([name])._actions if isinstance(a, argparse._SubParsersAction))
            found[name] = sub.choices[name]._actions
        return found

    @cached_property
    def folder(self) -> Path:
        """What every command finds in its folder."""
        folder = scratch_folder() / "files"
        folder.mkdir()
        tape = shipped("*/tapes/*.rtape")[0].read_bytes()
        files = {"good.rtape": tape, "torn.rtape": tape[:-90], "junk.bin": b"\xff\0" * 50, "empty": b""}
        files["masks.elf"] = (ROOT / "roms" / "masks" / "masks-m68040-O2.elf").read_bytes()
        files["big.elf"] = files["masks.elf"].ljust(3 << 20, b"\0")
        for name, content in files.items():
            (folder / name).write_bytes(content)
        (folder / "folder").mkdir()
        (folder / "rom").mkdir()
        (folder / "rom" / "rom.toml").write_bytes((ROOT / "roms" / "masks" / "rom.toml").read_bytes())
        return folder

    def make(self, chance: Random) -> bytes:
        name = chance.choice(list(self.commands))
        words = [chance.choice((*TEXTS, "ru", "runn", "--version"))] if chance.randrange(30) == 0 else [name]
        for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 5))):
            words += self._argument(chance, chance.choice(self.commands[name]))
        if chance.randrange(12) == 0:
            words.insert(chance.randrange(len(words) + 1), chance.choice((*TEXTS, "--", "--no-such", "-x")))
        return json.dumps(words).encode()

    @staticmethod
    def _argument(chance: Random, action: argparse.Action) -> list[str]:
        choices = [str(choice) for choice in action.choices or ()]
        value = chance.choice(
            (
                chance.choice(choices or WORDS),
                chance.choice(WORDS),
                chance.choice(WORDS),
                str(chance.choice(NUMBERS)),
                chance.choice(TEXTS),
            )
        )
        if chance.randrange(8) == 0:
            value = changed_bytes(chance, value.encode("utf-8", "replace"), (b"=,;:",)).decode("utf-8", "replace")
        values = [] if action.nargs == 0 and chance.randrange(20) else [value]
        if not action.option_strings:
            return values
        option = chance.choice(list(action.option_strings))
        return [f"{option}={value}"] if values and chance.randrange(4) == 0 else [option, *values]

    def attempt(self, data: bytes) -> bool:
        """Run a line in a child, which tells by a pipe how it ended."""
        from retrosim import cli  # once, for all children

        words = json.loads(data)
        here = self.folder.with_name(f"run{os.getpid()}")
        shutil.copytree(self.folder, here, dirs_exist_ok=True)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            os.write(writing, json.dumps(_run(cli.main, words, here)).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            text = answer.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        shutil.rmtree(here, ignore_errors=True)
        if status:
            raise Find(f"ended by {signal.Signals(-status).name}" if status < 0 else f"the process ended with {status}")
        return _judge(**json.loads(text))


def _run(main, words: list[str], folder: Path) -> dict[str, object]:
    """Run a command line in this process; return its status, what it wrote, and what it used."""
    os.chdir(folder)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "RETROSIM_DEBUG"):
        os.environ.pop(name, None)
    out, error = io.StringIO(), io.StringIO()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
    begun, status = time.process_time(), INTERRUPTED
    try:
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                sys.stdin = io.StringIO()
                status = main(words)
        finally:
            _end_interruptions()
    except KeyboardInterrupt:  # it came when the command had just been interrupted, or had ended
        _end_interruptions()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return {"status": status, "error": error.getvalue()[-4000:], "seconds": time.process_time() - begun, "grown": grown}


def _end_interruptions() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _judge(status: int, error: str, seconds: float, grown: int) -> bool:
    """Tell whether a command line was accepted. Errors: Find."""
    if found := re.search(r"unexpected (\w+): .*RETROSIM_DEBUG", error):
        raise Find(f"says that {found[1]} was not expected")
    if "Traceback" in error and status != INTERRUPTED:  # what is interrupted while it is tidied up, Python reports so
        raise Find("writes a traceback")
    if status not in STATUSES:
        raise Find(f"ends with status {status}")
    if status in REFUSED and (not error.startswith("retrosim: ") or len(error) > 2000):
        raise Find(f"a refusal, status {status}, that is not a line of usual length")
    if status in REFUSED and is_too_long(seconds):
        raise Find(f"takes {MAX_SECONDS:.0f} s and more of processor time to refuse")
    if status in REFUSED and grown > MAX_BYTES:
        raise Find(f"takes {MAX_BYTES >> 20} MiB and more of memory to refuse")
    return status not in REFUSED


COMMANDS = (CommandLine(),)
