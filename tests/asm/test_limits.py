"""What asks for much is refused in a line, in little time and memory, however it asks for it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from fuzzing.work import scaled

from retrosim.asm import assemble, assemble_file, files, program, source
from retrosim.errors import AssemblyError
from tests.helpers.amount import FULL

CHAIN = "".join(f" macro m{n}\n m{n + 1} \\1\\1\n endm\n" for n in range(40))
REFUSED = {
    "repetitions of nothing": (" rept 2000\n rept 2000\n endr\n endr", "lines after expansion"),
    "macros passed over": (" rept 2000\n macro m\n" + " x\n" * 500 + " endm\n endr", "lines after expansion"),
    "conditions passed over": (" rept 2000\n if 0\n" + " x\n" * 1000 + " endif\n endr", "lines after expansion"),
    "lines": (" nop\n" * 3000, "lines after expansion"),
    "arguments that double": (CHAIN + " m0 abc", "a line has more than 16384 characters"),
    "blocks in blocks": (" macro m\n m\n endm\n m", "nested more than 100 deep"),
    "space in sections": ("".join(f" section a{n}\n ds.b 8000000\n" for n in range(9)), "more than 8388608 bytes"),
    "space at addresses": ("".join(f" org {n}<<23\n ds.b 8000000\n" for n in range(9)), "more than 8388608 bytes"),
    "repetitions": (" times 1048576 align 1\n" * 3, "steps of work"),
    "digits": (" dc.l " + "9" * 5000, "does not fit into 64 bits"),
    "digits of a label": ("9" * 5000 + ": nop", "does not fit into 64 bits"),
    "digits of a reference": (" bra " + "9" * 5000 + "f", "does not fit into 64 bits"),
    "operators": (" dc.l " + "1+" * 500 + "1", "more than 200 operators"),
    "signs of a condition": (" if " + "-" * 5000 + "1\n endif", "more than 200 operators"),
    "brackets": (" dc.l " + "(" * 5000 + "1" + ")" * 5000, "more than 200 operators"),
    "long words": (" rept 2000\n dc.l 'a" + "b" * 9000 + "\n endr", "is no expression"),
    "the end of memory": (" org 0xfffffffe\n nop\n nop", "ends behind address 0xffffffff"),
    "a negative size": ("x: nop\n .size x,-1", "size -1: allowed 0..4294967295"),
    "a type of nothing": (" .type", "a name is missing"),
    "an alignment of nothing": (" cnop 0,", "a number is missing"),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow few lines, so that a test takes little time."""
    monkeypatch.setattr(source, "MAX_LINES", 2000)


@pytest.mark.parametrize("what", REFUSED)
def test_what_asks_for_much_is_refused(what: str) -> None:
    text, reason = REFUSED[what]
    with pytest.raises(AssemblyError, match=reason) as caught:
        assemble(text, "m68040", max_steps=program.MAX_STEPS // 20)
    assert len(caught.value.messages) <= program.MAX_ERRORS
    assert all(len(sentence) < 300 for _, _, sentence in caught.value.messages)


def test_what_is_nested_within_limits_is_taken() -> None:
    assert assemble(" dc.l " + "(" * 64 + "7" + ")" * 64, "m68040").code == bytes((0, 0, 0, 7))
    assert assemble(" if 1\n" * 30 + " dc.b 1+2*3<<1|1&3-2\n" + " endif\n" * 30, "m68040").code == bytes([15])


def test_files_are_read_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "long.s").write_text(" nop\n" * 300)
    (tmp_path / "again.s").write_text(' include "again.s"\n include "again.s"\n')
    os.mkfifo(tmp_path / "pipe")
    names = ("loop", "pipe", "a" * 5000, "again.s/x", "long.s", '"', "/dev/zero")
    (tmp_path / "all.s").write_text("".join(f" include {name}\n incbin {name}\n" for name in names if name != "long.s"))
    with pytest.raises(AssemblyError) as caught:
        assemble_file(tmp_path / "all.s", "m68040")
    assert [line for _, line, _ in caught.value.messages] == list(range(1, 13))
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1000)
    for name in ("long.s", "loop", "pipe", "."):
        with pytest.raises(AssemblyError, match=r"cannot be read|is longer than 1000 bytes"):
            assemble_file(tmp_path / name, "m68040")
    with pytest.raises(AssemblyError, match=r"lines after expansion|nested more than 16 deep"):
        assemble_file(tmp_path / "again.s", "m68040")


BIG = {
    "one line again and again": " move.l d0,d1\n" * 199_000,
    "lines that all differ": "".join(f" move.l #{n + 9999},({n % 999},a0,d1.l)\n" for n in range(40_000)),
    "branches to and fro": "".join(f"l{n}: bra l{n * 7919 % 40_000}\n" for n in range(40_000)),
    "errors only": " move.l d0,nowhere\n" * 40_000,
    "macros": " macro m\n move.l #\\1,d0\n endm\n" + "".join(f" m {n}\n" for n in range(40_000)),
    "symbols that wait for others": "".join(f"a{n} equ a{n + 1}+1\n" for n in range(40_000)),
    "data": (" dc.b " + "1+x," * 4000 + "1\n") * 200,
}


@pytest.mark.skipif(not FULL, reason="without --full: refused after about a second each")
@pytest.mark.parametrize("what", BIG)
def test_a_refusal_takes_a_second(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    begin = time.process_time()
    with pytest.raises(AssemblyError, match="steps of work: retrosim asm --max-steps allows more"):
        assemble(BIG[what] + " bad\n", "m68040")
    assert time.process_time() - begin < scaled(2)
