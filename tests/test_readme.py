"""The README's examples run, and its two commands stand there word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.S)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(EXAMPLES[number], f"README example {number + 1}", "exec"), {})
    printed = capsys.readouterr().out
    said = re.findall(r"print\(.*\)  # (\[.*)", EXAMPLES[number])
    assert printed and all(line in printed for line in said)


def test_the_two_commands() -> None:
    for command in ("pip install . && retrosim run", "pip install '.[test]' && pytest"):
        assert f"\n    {command}\n" in README
    assert len(EXAMPLES) == 3
