"""C compiled for this host: the three drivers, and what cannot be compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.bench import native
from retrosim.bench.engines import MACHINE
from retrosim.bench.native import NOT_NATIVE, NativeProgram, NativePrograms, NativeRoutine, call_tool, find_compiler
from retrosim.bench.workload import RepeatedWork, prepare
from retrosim.errors import RetrosimError
from retrosim.rom import load_rom

PROGRAM = """#include <stdarg.h>
unsigned microseconds(void);
void write_text(const char *, unsigned);
int printf(const char *text, ...) { write_text(text, 3); return 3; }
main() { microseconds(); printf(microseconds() == 2000000 ? "yes" : "no!"); }
"""
HOSTS = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **names) { printf("%g %g %d\\n", sqrt(16), fabs(-0.5), count + !!names[0]); exit(3); }
"""
with_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler is installed")


@with_compiler
def test_the_routine(tmp_path: Path) -> None:
    load = prepare(MACHINE, load_rom("sectors"), "O2", 12, 1994)
    lap = NativeRoutine(load_rom("sectors"), load, tmp_path).run(1000)
    assert lap.result == load.flags and lap.seconds > 0 and lap.written is None


@pytest.mark.full
@with_compiler
def test_checksums_of_programs(tmp_path: Path) -> None:
    rom = load_rom("bench")
    programs = NativePrograms(rom, RepeatedWork("sort", 0, 0, "", {}, (0, 4)), "big", tmp_path)
    for name in set(rom.constants) - set(NOT_NATIVE):
        programs.job = RepeatedWork(name, 0, 0, "", {}, (0, 4))
        for count in (1, 2):
            assert int.from_bytes(programs.run(count).result, "big") == rom.constants[name], (name, count)


@with_compiler
def test_a_program_runs_natively_with_a_library_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    lap = NativeProgram([tmp_path / "p.c"], (), tmp_path).run(2)
    assert lap.result == b"yes" and lap.seconds > 0
    (tmp_path / "p.c").write_text(HOSTS)
    assert NativeProgram([tmp_path / "p.c"], (), tmp_path).run(1).result == b"4 0.5 0\n"
    (tmp_path / "p.c").write_text("void start(void) {}")
    with pytest.raises(RetrosimError, match="error"):
        NativeProgram([tmp_path / "p.c"], (), tmp_path)


def test_a_compiler_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho no such option >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    load = prepare(MACHINE, load_rom("sectors"), "O2", 12, 1994)
    with pytest.raises(RetrosimError, match="cc: no such option"):
        NativeRoutine(load_rom("sectors"), load, tmp_path)
    with pytest.raises(RetrosimError, match="false: status 1"):
        call_tool(["false"])


def test_why_there_is_no_native_c(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native.why_missing("native-c", "i386", False, "no sources") == "no sources"
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    assert native.why_missing("native-c", "i386", True) == "no C compiler is installed (cc, gcc, clang)"


def test_why_a_peer_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native.why_missing("interpret-off", "i386", False) is None
    assert native.why_missing("musashi", "i386", False) == "it has no CPU for code of the i386"
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    assert native.why_missing("unicorn", "i386", False) == "the Python package unicorn is not installed"
