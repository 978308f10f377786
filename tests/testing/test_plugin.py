"""The pytest plugin, as a project of somebody's uses it: every test here is a run of pytest in a folder of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import retrosim.testing.tool  # noqa: F401  # a run inside this process forgets what it imported, and NumPy loads once
from tests.helpers.pages import ROOT

pytest_plugins = ["pytester"]

BLIT = """\
        .globl  blit
blit:   moveq   #15,d1          ; rows
.row:   move.l  (a0)+,(a1)+
        lea     636(a1),a1
        dbra    d1,.row
        rts
"""
CYCLES = 632  # of the MC68000: 4, 16 times 20 and 8, 15 times 10 and 14 of DBcc, 16 of RTS; M68000UM section 8
CALL = 'retro.cost("blit.s", "blit", machine="mc68000-8", regs={"a0": 0x2000, "a1": "blit"}, engine="evaluate")'
ENTRY = "retrosim.testing.plugin"
IS_INSTALLED = any(each.value == ENTRY for each in entry_points(group="pytest11"))
OTHERS = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")  # plugins left out: quicker
PLUGIN = () if IS_INSTALLED else ("-p", ENTRY)


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    (pytester.path / "blit.s").write_text(BLIT)
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess(*OTHERS, *PLUGIN, *options)


def test_the_plugin_is_declared() -> None:
    assert f'retrosim = "{ENTRY}"' in (ROOT / "pyproject.toml").read_text()


def test_a_limit_is_an_ordinary_assertion(project: pytest.Pytester) -> None:
    project.makepyfile(f"def test_blit(retro):\n    assert {CALL}.cycles <= {CYCLES}")
    run(project).assert_outcomes(passed=1)
    assert not list(project.path.glob("*.json"))


def test_a_failure_shows_the_hottest_lines(project: pytest.Pytester) -> None:
    project.makepyfile(f"def test_blit(retro):\n    assert {CALL}.cycles < {CYCLES}")
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "blit.s: blit(a0=0x2000, a1=blit) on mc68000-8",
            f"{CYCLES} cycles, 50 instructions",
            "*320  50.6 *16  blit.s:3  .row: move.l (a0)+,(a1)+",
            "no accepted figure to compare with; *",
        ]
    )


def test_a_budget_is_accepted_kept_and_compared(project: pytest.Pytester) -> None:
    project.makepyfile(f"def test_blit(retro):\n    cost = {CALL}\n    assert cost.cycles <= cost.budget")
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*no accepted figure for blit.s: *--update-budgets accepts {CYCLES} cycles"])

    result = run(project, "--update-budgets")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"*::test_blit: blit.s: blit(*) on mc68000-8: {CYCLES} cycles, new"])
    run(project).assert_outcomes(passed=1)

    slower = BLIT.replace("        dbra", "        nop\n        dbra")
    (project.path / "blit.s").write_text(slower)
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"accepted {CYCLES} cycles: +64 (+10.1 %); 50 instructions: +16 (+32.0 %)",
            "  0  64     +64  blit.s:5 (new)  nop",
        ]
    )
    run(project, "--update-budgets").assert_outcomes(passed=1)
    (project.path / "blit.s").write_text(BLIT)
    result = run(project)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["retrosim: 1 call costs less than accepted; *"])


def test_figures_of_failed_tests_are_not_accepted(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"def test_bad(retro):\n    assert {CALL}.cycles < 10\ndef test_good(retro):\n    assert {CALL}.cycles > 10"
    )
    run(project, "--update-budgets").assert_outcomes(passed=1, failed=1)
    tests = json.loads((project.path / "retrosim-budgets.json").read_text())["tests"]
    assert [name.partition("::")[2] for name in tests] == ["test_good"]


def test_machines_have_fixtures(project: pytest.Pytester) -> None:
    call = 'cost("blit.s", "blit", regs={"a0": 0x2000, "a1": 0x2000}, engine="evaluate").report["machine"]'
    project.makepyfile(
        f"import pytest\n"
        f"def test_own(retro_mc68000_mac):\n    assert retro_mc68000_mac.{call} == 'mc68000-mac'\n"
        f"@pytest.mark.parametrize('retro', ['mc68000-8', 'mc68040-25'], indirect=True)\n"
        f"def test_each(retro):\n    assert retro.{call} == retro.machine\n"
    )
    run(project).assert_outcomes(passed=3)


@pytest.mark.full
def test_processes_share_one_file(project: pytest.Pytester) -> None:
    for number in range(2):
        (project.path / f"test_{number}.py").write_text(f"def test_blit(retro):\n    assert {CALL}.cycles")
    project.syspathinsert(ROOT)
    result = run(project, "-n", "2", "--update-budgets")
    result.assert_outcomes(passed=2)
    tests = json.loads((project.path / "retrosim-budgets.json").read_text())["tests"]
    assert list(tests) == ["test_0.py::test_blit", "test_1.py::test_blit"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"format": 2}', '{"format": ' + "9" * 5000 + "}", '{"format": 1, "tests": {"a": {"b": 3}}}'],
)
def test_a_damaged_file_is_refused_in_one_line(project: pytest.Pytester, content: str) -> None:
    (project.path / "retrosim-budgets.json").write_text(content)
    project.makepyfile("def test_blit(retro):\n    pass")
    result = run(project)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*retrosim-budgets.json: *"])


def test_runs_without_it_import_nothing(tmp_path: Path) -> None:
    """The plugin itself is loaded in each run of pytest on a computer that has retrosim."""
    (tmp_path / "test_none.py").write_text(
        "import sys\ndef test_none():\n"
        "    loaded = {name for name in sys.modules if name.split('.')[0] in ('retrosim', 'numba', 'numpy', 'rich')}\n"
        "    assert loaded == {'retrosim', 'retrosim.lazy', 'retrosim.testing', 'retrosim.testing.plugin'}\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN, "-c", "none.ini", str(tmp_path)]
    (tmp_path / "none.ini").write_text("[pytest]\n")
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
