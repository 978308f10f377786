"""A file that a user names is read whole, or refused in one line; nothing is waited for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from retrosim.errors import RetrosimError, TapeError
from retrosim.reading import digest_of, read_file


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert read_file(path, 3) == b"abc"
    with pytest.raises(RetrosimError) as refused:
        read_file(path, 2)
    assert str(refused.value) == f"{path}: is longer than 2 bytes" and refused.value.exit_status == 1


def test_the_error_is_the_callers(tmp_path: Path) -> None:
    with pytest.raises(TapeError, match="no such file"):
        read_file(tmp_path / "none", 9, TapeError)
    with pytest.raises(TapeError, match="cannot be read: embedded null"):
        read_file("zero\0byte", 9, TapeError)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_folder_and_a_pipe_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(RetrosimError, match="cannot be read: not a regular file"):
            read_file(path, 9)


def test_a_digest_is_that_of_sha256sum() -> None:
    assert digest_of(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
