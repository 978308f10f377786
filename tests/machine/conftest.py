"""Small programs are many and run once: what is compiled for them is compiled in a hurry."""

from __future__ import annotations

from functools import partial

import pytest

from retrosim.cpu.engines import tiers


@pytest.fixture(autouse=True)
def quick_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "bank", lambda cpu, timing, handlers, quick=True: BANK(cpu, timing, handlers, True))
    monkeypatch.setattr(tiers, "CompiledRegion", partial(REGION, quick=True))


BANK, REGION = tiers.bank, tiers.CompiledRegion
