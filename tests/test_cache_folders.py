"""Which folders may hold compiled code, and what happens to a user who has none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrosim.cache import folders, store
from retrosim.cache.folders import UnsafeFolder, make_private, user_folder
from retrosim.cache.store import open_cache

ROOT = Path(__file__).resolve().parent.parent
ORDINARY = 64321  # a user id that no passwd knows
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.fixture(autouse=True)
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_warned", set())


def test_a_folder_is_made_for_its_user_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        make_private(tmp_path / "a" / "b" / "cache")
    finally:
        os.umask(old)
    assert [p.stat().st_mode & 0o777 for p in (tmp_path / "a", tmp_path / "a" / "b" / "cache")] == [0o700, 0o700]


def test_a_folder_that_others_could_only_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(0o755)
    make_private(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    with pytest.raises(UnsafeFolder, match=r"cache can be written to by others"):
        make_private(tmp_path / "cache")


def test_a_parent_that_others_can_write_to_must_be_sticky(tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    make_private(parent / "cache")
    parent.chmod(0o777)
    with pytest.raises(UnsafeFolder, match="parent can be written to by others"):
        make_private(parent / "cache")
    parent.chmod(0o1777)
    make_private(parent / "cache")


def test_a_group_of_ones_own_is_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o770)
    monkeypatch.setattr(folders, "_is_own_group", lambda group: group == os.getgid())
    make_private(tmp_path / "cache")
    monkeypatch.undo()
    assert not folders._is_own_group(ORDINARY)


def test_links_are_followed_only_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafeFolder, match="link is no folder"):
        make_private(tmp_path / "link")
    make_private(tmp_path / "link" / "cache")
    (tmp_path / "real").chmod(0o777)
    with pytest.raises(UnsafeFolder, match="real can be written to by others"):
        make_private(tmp_path / "link" / "cache")


@needs_root
@pytest.mark.parametrize("whose", ["cache", "parent", "link"])
def test_nothing_on_the_way_belongs_to_another_user(tmp_path: Path, whose: str) -> None:
    make_private(tmp_path / "parent" / "cache")
    (tmp_path / "link").symlink_to(tmp_path / "parent")
    os.chown(tmp_path / {"cache": "parent/cache"}.get(whose, whose), ORDINARY, -1, follow_symlinks=False)
    with pytest.raises(UnsafeFolder, match=f"{whose} belongs to another user"):
        make_private(tmp_path / "link" / "cache")


def test_a_refused_folder_is_replaced_and_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    (tmp_path / "cache" / "kernels").mkdir()
    monkeypatch.setattr(store, "temporary_folder", lambda kind: tmp_path / "private" / kind)
    for _ in range(2):
        assert open_cache(tmp_path / "cache").folder == tmp_path / "private" / "cache"
    assert caplog.messages == [
        f"retrosim: {tmp_path / 'cache'} is not used, because {tmp_path / 'cache'} can be written to by others; "
        f"compiled code is kept in {tmp_path / 'private' / 'cache'}"
    ]
    store._warned.clear()
    (tmp_path / "private" / "cache").chmod(0o777)  # that one too
    cache = open_cache(tmp_path / "cache")
    assert cache.folder is None and caplog.messages[1:] == [
        f"retrosim: compiled code is not kept: {cache.problem}; set RETROSIM_HOME"
    ]
    assert cache.problem.count("is not used, because") == 2


def test_what_is_no_folder_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file of mine")
    monkeypatch.setattr(store, "temporary_folder", lambda kind: tmp_path / "private" / kind)
    cache = open_cache(tmp_path / "cache")
    assert cache.folder == tmp_path / "private" / "cache" and "is no folder" in cache.problem
    assert (tmp_path / "cache").read_text() == "a file of mine"


@pytest.mark.parametrize("kind", ["cache", "data"])
def test_a_relative_variable_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.delenv("RETROSIM_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    variable = f"XDG_{kind.upper()}_HOME"
    monkeypatch.delenv(variable, raising=False)
    usual = user_folder(kind)
    monkeypatch.setenv(variable, "relative/folder")
    assert user_folder(kind) == usual and usual.is_relative_to(tmp_path)
    older = {"cache": lambda *a, **k: Path("relative/folder/retrosim")}  # as platformdirs 4.0 answers
    monkeypatch.setattr(folders, f"user_{kind}_path", older["cache"])
    assert user_folder(kind) == tmp_path / folders.DEFAULTS[kind] / "retrosim"
    monkeypatch.setenv(variable, str(tmp_path / "absolute"))
    monkeypatch.undo()


def test_an_absolute_variable_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETROSIM_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert user_folder("cache") == tmp_path / "retrosim"
    monkeypatch.setenv("RETROSIM_HOME", str(tmp_path / "home"))
    assert user_folder("cache") == tmp_path / "home" / "cache"


def test_a_user_without_a_home_has_a_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **more: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("RETROSIM_HOME", raising=False)
    monkeypatch.setattr(folders, "user_cache_path", fail)
    assert user_folder("cache") == Path(tempfile.gettempdir(), f"retrosim-{os.geteuid()}", "cache")


PROGRAM = """
import numpy as np, sys
import retrosim.collide as collide
from retrosim.cache import sources
from retrosim.cli import main
print(sources.CACHE.folder)
x = np.array([10, 35, 300], np.int16)
print(collide.pairs(x, x, size=30).tolist(), flush=True)
sys.exit(main(["run", "--headless", "--frames", "1"]))
"""


@pytest.fixture(scope="module")
def temporary() -> Iterator[Path]:
    """A folder like /tmp, in which an ordinary user can work."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become an ordinary user, by setpriv")
    folder = Path(tempfile.mkdtemp(prefix="retrosim-test-"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


READ_ALL = "+dac_read_search"  # this Python may lie in root's home; nothing can be written by it


def _run_as_ordinary(temporary: Path, variables: dict[str, str], code: str) -> subprocess.CompletedProcess[str]:
    """Run Python as a user that no passwd knows, with few variables, in the root folder."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)} | variables
    user = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    user += ["--bounding-set=-all," + READ_ALL, f"--inh-caps=-all,{READ_ALL}", f"--ambient-caps=-all,{READ_ALL}"]
    command = [*user, sys.executable, "-B", "-c", code]
    return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.first_case
@pytest.mark.parametrize("variables", [{"HOME": "/"}, {"HOME": "/", "XDG_CACHE_HOME": "/proc/nowhere"}], ids=str)
def test_an_ordinary_user_who_cannot_write_to_the_home(temporary: Path, variables: dict[str, str]) -> None:
    code = "import retrosim.collide; from retrosim.cache import sources; print(sources.CACHE.folder)"
    ran = _run_as_ordinary(temporary, variables, code)
    found = (ran.returncode, ran.stdout, ran.stderr)
    assert found == (0, f"{temporary}/retrosim-{ORDINARY}/cache\n", "")


@pytest.mark.full
def test_an_ordinary_user_without_a_home(temporary: Path) -> None:
    """The installation is read-only for this user too."""
    ran = _run_as_ordinary(temporary, {}, PROGRAM)
    assert ran.returncode == 0, ran.stderr
    folder = temporary / f"retrosim-{ORDINARY}" / "cache"
    assert ran.stdout.splitlines()[:2] == [str(folder), "[[0, 1]]"]
    assert "Traceback" not in ran.stderr and "not used" not in ran.stderr
    assert folder.stat().st_uid == ORDINARY and folder.stat().st_mode & 0o777 == 0o700
    assert {path.suffix for path in folder.rglob("*.*")} == {".kernel", ".o", ".list"}


def test_an_ordinary_user_without_any_folder(temporary: Path) -> None:
    """Compiled in memory, with one sentence; what somebody has put in the temporary folder is not used."""
    shutil.rmtree(temporary / f"retrosim-{ORDINARY}", ignore_errors=True)
    (temporary / f"retrosim-{ORDINARY}").mkdir(0o777)  # made by another user, here root
    (temporary / f"retrosim-{ORDINARY}").chmod(0o777)
    ran = _run_as_ordinary(temporary, {"HOME": "/"}, "from retrosim.cache import sources; print(sources.CACHE.folder)")
    assert (ran.returncode, ran.stdout) == (0, "None\n"), ran.stderr
    assert ran.stderr.startswith("retrosim: compiled code is not kept: ") and ran.stderr.count("\n") == 1
    assert f"retrosim-{ORDINARY} can be written to by others; set RETROSIM_HOME" in ran.stderr
