"""What setup ships: every package, and the ROMs inside the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import retrosim.rom.library
from retrosim.rom import load_rom, load_toolchains, rom_folders, rom_names

ROOT = Path(__file__).resolve().parents[2]
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_the_list_of_packages_is_complete() -> None:
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "retrosim").rglob("*.py")}
    assert sorted(SETUP["packages"]) == sorted(found | {"retrosim._roms"})


def test_every_file_beside_the_code_is_shipped() -> None:
    patterns = SETUP["package-data"]["*"]
    others = [path for path in (ROOT / "retrosim").rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert [path for path in others if not any(path.match(pattern) for pattern in patterns)] == []


def test_every_rom_is_shipped() -> None:
    assert SETUP["package-dir"] == {"retrosim._roms": "roms"}
    patterns = SETUP["package-data"]["retrosim._roms"]
    shipped = {path for pattern in patterns for path in (ROOT / "roms").glob(pattern)}
    assert load_toolchains().path in shipped
    for name in rom_names():
        rom = load_rom(name)
        needed = {rom.path / "rom.toml", *(rom.path / info.file for info in rom.images), *rom.tapes()}
        if rom.drawings:
            needed |= {(rom.path / file).resolve() for file in (rom.drawings.colours, *rom.drawings.files)}
        assert needed <= shipped


def test_installed_package_finds_its_roms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a checkout around it, the package looks inside itself, and nowhere else."""
    package = tmp_path / "retrosim"
    (package / "_roms").mkdir(parents=True)
    (package / "_roms" / "sectors").symlink_to(load_rom("sectors").path)
    (tmp_path / "roms" / "foreign").mkdir(parents=True)
    (tmp_path / "roms" / "foreign" / "rom.toml").touch()
    monkeypatch.setattr(retrosim.rom.library, "PACKAGE", package)
    assert rom_folders() == [package / "_roms"]
    assert rom_names() == ["sectors"]
    assert load_rom("sectors").path == package / "_roms" / "sectors"
    (tmp_path / "pyproject.toml").touch()
    assert rom_folders() == [tmp_path / "roms", package / "_roms"]
    assert rom_names() == ["foreign", "sectors"]
