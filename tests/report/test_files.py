"""Files that are whole or not there; names that cannot be one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from retrosim.errors import RetrosimError
from retrosim.report.files import check_free, is_writable, write_text
from tests.helpers.full_disk import LARGE, full_disk


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file's size")
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_text_is_whole_or_not_there(tmp_path: Path, overwrite: bool) -> None:
    path = tmp_path / "report.csv"
    with full_disk(), pytest.raises(RetrosimError, match="cannot be written"):
        write_text(path, "x" * LARGE, overwrite=overwrite)
    assert not list(tmp_path.iterdir())
    write_text(path, "x" * LARGE, overwrite=overwrite)
    assert path.stat().st_size == LARGE
    with pytest.raises(RetrosimError, match="exists already"):
        write_text(path, "", overwrite=False)
    (tmp_path / "link").symlink_to(path)
    write_text(tmp_path / "link", "new", overwrite=True)
    assert path.read_text() == "new" and (tmp_path / "link").is_symlink()
    write_text(Path("/dev/null"), "nothing", overwrite=True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder that even the superuser cannot write to")
def test_a_folder_that_takes_no_files_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(RetrosimError, match=r"/proc/page\.html: the folder /proc cannot be written to"):
        check_free("/proc/page.html")
    check_free("/dev/null", overwrite=True)  # no file is made for a device
    check_free(tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_a_name_that_cannot_be_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RetrosimError, match="there is no folder"):
        check_free(tmp_path / "missing" / "shot.png")
    with pytest.raises(RetrosimError, match="is a folder"):
        check_free(tmp_path)


def test_what_may_be_written(tmp_path: Path) -> None:
    """A new file; one that is there if it may be overwritten; no folder, and nothing in a folder that is not there."""
    (tmp_path / "old.txt").write_text("old")
    check_free(tmp_path / "new.txt")
    check_free(tmp_path / "old.txt", overwrite=True)
    for name, overwrite, message in (
        ("old.txt", False, r"old\.txt: exists already and is not overwritten; do this$"),
        ("", True, "is a folder, not a file"),
        ("none/new.txt", True, "new.txt: there is no folder .*none$"),
    ):
        with pytest.raises(RetrosimError, match=message):
            check_free(tmp_path / name, overwrite=overwrite, advice="do this")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(RetrosimError, match="link: exists already"):
        check_free(tmp_path / "link")
    assert is_writable(tmp_path) is True and is_writable(tmp_path / "none") is False
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "old.txt"], "nothing is left behind"
