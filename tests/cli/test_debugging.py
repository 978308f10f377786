"""What the commands that debug tell of clients."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from retrosim.cli.debugging import connecting


@pytest.mark.parametrize(
    "host, where", [("127.0.0.1", ":1234"), ("10.0.0.2", "10.0.0.2:1234"), ("::1", "'target remote [::1]:1234'")]
)
def test_how_gdb_connects(host: str, where: str) -> None:
    image = SimpleNamespace(boot="", isa="m68000")
    command = connecting(image, image, host, 1234)
    assert command.startswith("gdb-multiarch -ex 'set architecture m68k:68000' -ex ") and where in command
    assert command.count("-ex") == 2, "an image names no folders"
