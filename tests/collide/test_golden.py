"""The golden hash, with and without the compiler, by one thread and by two.

--full takes 10,000 scenes; `tools/environments.py` asks other versions of NumPy and Numba for it.
"""

import pytest

from retrosim.collide import _golden
from retrosim.jit import JIT
from tests.helpers.amount import usually

SCENES = usually(40, 10_000)


@pytest.mark.full
@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.without_jit), 2])
def test_the_golden_hash(threads):
    scenes = SCENES if JIT or threads == 2 else 40  # by one thread without the compiler, 10,000 take ten minutes
    assert _golden.golden_hash(scenes, threads) == _golden.EXPECTED[scenes]


@pytest.mark.without_jit
def test_as_a_program(capsys, monkeypatch):
    assert _golden.main(["--scenes", "3"]) == 0
    said = capsys.readouterr().out
    assert "no expected one" in said and "d47dae43fd78a981504138f518851a02" in said
    monkeypatch.setitem(_golden.EXPECTED, 3, "0" * 32)
    assert _golden.main(["--scenes", "3", "--threads", "2"]) == 1 and f"({'0' * 32})" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        _golden.main(["--scenes", "0"])
