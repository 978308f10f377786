"""tools/claims.py reads what the README says, and fails where it does not hold."""

from __future__ import annotations

import claims
import pytest


def test_the_readme_says_it() -> None:
    assert claims.claimed_seconds((claims.ROOT / "README.md").read_text()) == 2
    assert claims.claimed_seconds("The first frame appears within five\nseconds, even the first time.") == 5
    for text in ("", "first frame appears within a few seconds, even the first time"):
        with pytest.raises(ValueError, match="does not say"):
            claims.claimed_seconds(text)


@pytest.mark.parametrize(("seconds", "status"), [(1.9, 0), (2.1, 1)])
def test_a_claim_that_does_not_hold(monkeypatch, capsys, seconds: float, status: int) -> None:
    times = iter([seconds + 9, seconds, *[seconds + 1] * claims.RUNS])
    monkeypatch.setattr(claims, "first_frame", lambda: next(times))
    assert claims.main() == status
    said = capsys.readouterr().out
    assert said.startswith(f"first frame: {seconds:.2f} s, ") and ("does not hold" in said) == bool(status)
