"""The golden hash, with and without the compiler, by one thread and by two.

RETROSIM_GOLDEN=1 takes 10,000 scenes; `tools/environments.py` asks other versions of NumPy and Numba for it.
"""

import os

import pytest

from retrosim.collide import _golden

SCENES = 10_000 if "RETROSIM_GOLDEN" in os.environ else 40


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.without_jit), 2])
def test_the_golden_hash(threads):
    assert _golden.golden_hash(SCENES, threads) == _golden.EXPECTED[SCENES]


@pytest.mark.without_jit
def test_as_a_program(capsys, monkeypatch):
    assert _golden.main(["--scenes", "3"]) == 0 and "no expected one" in capsys.readouterr().out
    monkeypatch.setitem(_golden.EXPECTED, 3, "0" * 32)
    assert _golden.main(["--scenes", "3", "--threads", "2"]) == 1 and f"({'0' * 32})" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        _golden.main(["--scenes", "0"])
