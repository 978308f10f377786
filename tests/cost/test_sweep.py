"""The law that the clocks of a sweep follow."""

from __future__ import annotations

import pytest

from retrosim.cost.sweep import Law, fit, law_text


def test_laws() -> None:
    values = range(1, 20)
    exact = [(n, 3 * n * n - 2 * n + 7) for n in values]
    assert fit(exact) == Law("quadratic", True, [7, -2, 3], 0, 0)
    assert law_text(fit(exact), "n") == "quadratic: 7 - 2 n + 3 n^2 clocks, exactly"
    assert (fit([(n, 5) for n in values]).name, fit([(1, 4), (9, 20)]).coefficients) == ("constant", [2, 2])
    noisy = [(n, 1000 + 40 * n + (-1) ** n) for n in values]
    law = fit(noisy)
    assert (law.name, law.exact) == ("linear", False) and 0.9 < law.residual_maximum < 1.2
    assert law.coefficients[1] == pytest.approx(40, abs=0.1) and 0.8 < law.residual_rms < 1.2
    steps = [(n, 900 + (-1) ** n) for n in values]  # neither a slope nor a curve makes these smaller
    assert fit(steps).name == "constant" and "off by 0.999 clocks" in law_text(fit(steps), "n")
