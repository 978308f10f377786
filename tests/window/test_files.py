import os
from datetime import datetime
from pathlib import Path

import pytest

from retrosim.errors import RetrosimError
from retrosim.window.session import home_short, newest_file, write_stamped
from tests.helpers.full_disk import LARGE, full_disk

NOW = datetime(1994, 6, 21, 12, 0, 5)


def test_names_are_stamped_and_numbered_and_never_reused(tmp_path):
    folder = tmp_path / "new" / "states"
    paths = [write_stamped(folder, "a-slot1", ".state", bytes([n]), now=NOW) for n in range(3)]
    assert [path.name for path in paths] == [f"a-slot1-19940621-120005{n}.state" for n in ("", "-2", "-3")]
    assert [path.read_bytes() for path in paths] == [b"\0", b"\1", b"\2"]


def test_the_newest_of_a_stem(tmp_path):
    assert newest_file(tmp_path / "none", "a-slot1", ".state") is None
    first = write_stamped(tmp_path, "a-slot1", ".state", b"1", now=NOW)
    second = write_stamped(tmp_path, "a-slot1", ".state", b"2", now=NOW)
    other = write_stamped(tmp_path, "a-slot10", ".state", b"3", now=NOW)
    for age, path in enumerate((first, second, other)):
        os.utime(path, (1000 + age, 1000 + age))
    assert newest_file(tmp_path, "a-slot1", ".state") == second
    os.utime(first, (2000, 2000))
    assert newest_file(tmp_path, "a-slot1", ".state") == first


def test_what_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RetrosimError, match="no file can be created in it"):
        write_stamped(tmp_path / "file", "a", ".png", b"")


def test_no_part_of_a_file_stays_when_writing_fails(tmp_path):
    with full_disk(), pytest.raises(RetrosimError, match="too large"):
        write_stamped(tmp_path, "a", ".png", bytes(LARGE))
    assert list(tmp_path.iterdir()) == []


def test_the_users_folder_is_written_short():
    assert home_short(Path.home() / "a" / "b.png") == "~/a/b.png"
    assert home_short(Path("relative.png")) == "relative.png"
