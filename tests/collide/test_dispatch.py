"""A call of a kernel goes straight to its code: Numba never has to ask for the types of its arguments in Python.

It would for a default that is filled in, at 0.1 ms a call.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from numba.core.dispatcher import Dispatcher

from retrosim.collide._first_calls import COMPILER
from retrosim.jit import JIT
from tests.helpers.amount import usually

from .test_interface import CALLS, OUTS_OF_EACH_KIND, call, name_of


@pytest.mark.skipif(not JIT, reason="without the compiler there is nothing to dispatch to")
@pytest.mark.parametrize("function", usually(OUTS_OF_EACH_KIND, CALLS), ids=name_of)
def test_types_are_known_at_once(function: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    for _ in range(2):  # the first calls compile, or have it done
        call(function)
        COMPILER.wait()
    find = Dispatcher.typeof_pyval
    monkeypatch.setattr(Dispatcher, "typeof_pyval", lambda self, value: asked.append(value) or find(self, value))
    call(function)
    assert not asked
