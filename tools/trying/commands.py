"""Asks every command for help, with wrong words and in narrow terminals; every machine for every ROM and every method.

Each answer must be what was asked for, or one line that refuses it.
"""

from __future__ import annotations

import json
import queue
import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrosim.cli.commands import COMMANDS

from .environment import variables

SECONDS = 600.0  # of a command
WIDTHS = (60, 80, 120)
UNEXPECTED = re.compile(r"^Traceback \(|^retrosim: unexpected (?!argument)", re.M)
A_FRAME = ("--headless", "--frames", "1", "--max-cycles", "20000000")
USED_UP = 5  # the exit status of a run that is ended so; what was done is printed
ENDS = (0, 1, 2, 4, USED_UP)
UNBROKEN = re.compile(r"  [^ -]|.*/_roms/")  # lines of examples and tables in a help; paths of shipped files
DRIVER = """
import contextlib, io, json, os, sys
answers, questions = os.fdopen(os.dup(1), "w"), sys.stdin
os.dup2(2, 1)
import retrosim.cli.progress
from retrosim.cli import main
retrosim.cli.progress.PLAIN_DELAY = 1e6
for question in questions:
    arguments, changed = json.loads(question)
    os.environ.update(changed)
    out, err, sys.stdin = io.StringIO(), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    for name in changed:
        del os.environ[name]
    print(json.dumps([status, out.getvalue(), err.getvalue()]), file=answers, flush=True)
"""
SOURCE = "count:  moveq   #0,d0\n        rts\n"
EXAMPLES = {  # what takes a moment only; `gdb` and `dap` serve until they are ended, `warmup` compiles for minutes
    "run": "sectors --machine native --frames 1",
    "record": ". --machine native --frames 2",
    "replay": "wind-50 --machine native --frames 2 --headless",
    "race": "wind-50 --on native,mc68000-8 --frames 2 --headless",
    "verify": "wind-50 --on native",
    "debug": "sectors -e registers",
    "cost": "objects --entry Distance2D --arg 3 --arg 4 --arg 0 --arg 0 --no-interval",
    "new": "fresh --cpu m68000 --force",
    "build": "a.s --force",
    "asm": "a.s --cpu m68000",
    "insn": "muls --machine mc68000-8",
    "timing": "--build fast --machine mc68040-25 --no-interval",
    "study": "--method boxes --scenes 1 --machine mc68000-8",
    "bench": "kernels --objects 50 --rounds 1 --engine collided",
    "list": "roms",
    "scenes": "cross",
    "doctor": "",
    "guide": "start",
}
TABLES = ("cost", "timing", "study", "bench")  # commands whose tables keep to the terminal's width


@dataclass(frozen=True)
class Question:
    """A command, and what its answer must be.

    statuses  that it may end with
    width     no line is longer, unless 0
    is_json   whether stdout is a JSON document
    """

    arguments: tuple[str, ...]
    statuses: tuple[int, ...] = (0,)
    width: int = 0
    is_json: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a command printed, and the exit status."""

    status: int
    out: str
    err: str


def faults_of(question: Question, answer: Answer) -> list[str]:
    """Return what is wrong with an answer."""
    faults = []
    printed = answer.out + answer.err
    if UNEXPECTED.search(printed):
        faults.append(f"an error that is not expected: {answer.err.strip().splitlines()[-1:]}")
    elif answer.status not in question.statuses:
        faults.append(f"status {answer.status}, not {question.statuses}: {answer.err.strip()[-300:]}")
    elif answer.status:
        if (
            (answer.out and answer.status != USED_UP)
            or not answer.err.startswith("retrosim: ")
            or answer.err.count("\n") != 1
        ):
            faults.append(f"is not refused in one line: {printed[:600]!r}")
    elif not answer.out and not answer.err:
        faults.append("prints nothing")
    elif question.is_json:
        try:
            json.loads(answer.out)
        except ValueError as error:
            faults.append(f"no JSON: {error}: {answer.out[:200]!r}")
    lines = [line for line in answer.out.splitlines() if not UNBROKEN.match(line)]
    wide = [line for line in lines if question.width and len(line) > question.width]
    if wide:
        faults.append(f"{len(wide)} lines are longer than {question.width}: {wide[0]!r}")
    if "\x1b[" in printed:
        faults.append("colours where there is no terminal")
    return faults


def of_commands() -> Iterator[Question]:
    """Yield help, usage errors, and an example of each command as text and as JSON."""
    subjects = [("bench", name) for name in ("engines", "kernels", "programs", "program", "debugger")]
    for command in [(), *((name,) for name in COMMANDS), *subjects]:
        for width in WIDTHS:
            yield Question((*command, "--help"), width=width, variables={"COLUMNS": str(width)})
        yield Question((*command, "--nosuch"), (2,))
    for name in COMMANDS:
        if name != "new":  # which takes any name
            yield Question((name, "nosuch"), (1, 2, 4))
    for name in ("record", "replay", "race", "verify", "cost", "new", "build", "asm", "insn", "completion"):
        yield Question((name,), (2,))
    for name in ("list", "scenes", "doctor", "guide"):
        yield Question((name,))
    for name, words in EXAMPLES.items():
        for width in WIDTHS[1:] if name in TABLES else ():
            yield Question((name, *words.split()), width=width, variables={"COLUMNS": str(width)})
        yield Question((name, *words.split()), variables={"NO_COLOR": "1"})
        yield Question((name, *words.split(), "--json"), is_json=True)


def of_roms(listed: Mapping[str, Any]) -> Iterator[Question]:
    """Yield a frame of every build of every ROM on every machine, as `list --json` names them.

    The first frame of `moertel1994` takes 30 simulated seconds, so each run is ended after some clocks: status 5.
    """
    for machine in listed["machines"]:
        for rom in listed["roms"]:
            words = ("run", rom["name"], "--machine", machine["name"], *A_FRAME)
            yield Question(words, ENDS)
            for build in sorted({image["build"] for image in rom["images"]}):
                yield Question((*words, "--build", build), ENDS)


def of_methods(listed: Mapping[str, Any], methods: Iterable[str]) -> Iterator[Question]:
    """Yield a study of every method on every machine."""
    for machine in listed["machines"]:
        for method in methods:
            words = f"study --machine {machine['name']} --method {method} --scenes 1 --jobs 1"
            yield Question(tuple(words.split()), (0, 1, 2, 4))


class Asked:
    """A process of an environment that carries out commands, in an empty folder."""

    def __init__(self, python: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self._start = (str(python), "-c", DRIVER), folder, environment
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        command, folder, environment = self._start
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=folder, env=dict(environment), stdin=pipe, stdout=pipe, text=True)

    def answer(self, question: Question) -> Answer:
        """Carry out a command; if it takes too long or ends the process, the next one gets another process."""
        process = self._process
        assert process.stdin and process.stdout
        too_long = threading.Timer(SECONDS, process.kill)
        too_long.start()
        process.stdin.write(json.dumps([question.arguments, dict(question.variables)]) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        too_long.cancel()
        if not line:
            status, self._process = process.wait(), self._started()
            return Answer(status, "", "retrosim: unexpected end of the process")
        return Answer(*json.loads(line))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def try_commands(python: Path, folder: Path, jobs: int) -> int:
    """Ask everything, print what is wrong, and return how many answers are."""
    from retrosim.study.methods import METHODS

    processes: queue.SimpleQueue[Asked] = queue.SimpleQueue()
    for number in range(jobs):
        place = folder / f"commands-{number}"
        place.mkdir()
        (place / "a.s").write_text(SOURCE)
        processes.put(Asked(python, place, variables(python, folder)))

    def asked(question: Question) -> list[str]:
        process = processes.get()
        try:
            faults = faults_of(question, process.answer(question))
        finally:
            processes.put(process)
        return [f"retrosim {' '.join(question.arguments)}{_set(question)}: {fault}" for fault in faults]

    first = processes.get()
    listed = json.loads(first.answer(Question(("list", "--json"))).out)
    processes.put(first)
    groups = {
        "commands": list(of_commands()),
        "ROMs on machines": list(of_roms(listed)),
        "methods on machines": list(of_methods(listed, METHODS)),
    }
    failed = 0
    with ThreadPoolExecutor(jobs) as threads:
        for name, questions in groups.items():
            for faults in threads.map(asked, questions):
                for fault in faults:
                    print(f"FAILED {fault}", flush=True)
                failed += bool(faults)
            print(f"{name}: {len(questions)} asked", flush=True)
    for _ in range(jobs):
        processes.get().close()
    return failed


def _set(question: Question) -> str:
    return "".join(f" with {name}={value}" for name, value in question.variables.items())
