"""Small programs are many and run once: what is compiled for them is quickly compiled."""

from __future__ import annotations

from functools import partial

import pytest

from retrosim.cpu.engines import tiers


@pytest.fixture(autouse=True)
def quick_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "handler_cache", lambda cpu, timing, keys, quick=True: HANDLERS(cpu, timing, keys, True))
    monkeypatch.setattr(tiers, "CompiledRegion", partial(REGION, quick=True))


HANDLERS, REGION = tiers.handler_cache, tiers.CompiledRegion
