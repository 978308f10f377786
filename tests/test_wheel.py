"""What is shipped: the wheel has every file of the package, and the ROMs inside the package with their sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import retrosim.rom.library
from retrosim.rom import load_rom, load_toolchains, rom_folders, rom_names
from retrosim.rom.toolchains import source_folders

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def shipped() -> dict[str, Path]:
    """Path in the wheel -> file in the checkout, as the build back end chooses them."""
    return {file.distribution_path: Path(file.path) for file in WheelBuilder(str(ROOT)).recurse_included_files()}


def test_every_file_of_the_package_is_shipped(shipped: dict[str, Path]) -> None:
    files = [path for path in (ROOT / "retrosim").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {path.relative_to(ROOT).as_posix() for path in files} <= set(shipped)
    assert {"retrosim/py.typed", "retrosim/__init__.pyi", "retrosim/cpu/x86/clocks.csv"} <= set(shipped)


def test_every_rom_is_shipped(shipped: dict[str, Path]) -> None:
    assert f"retrosim/_roms/{load_toolchains().path.relative_to(ROOT / 'roms').as_posix()}" in shipped
    for name in rom_names():
        rom = load_rom(name)
        needed = {rom.path / "rom.toml", *(rom.path / info.file for info in rom.images), *rom.tapes()}
        if rom.drawings:
            needed |= {(rom.path / file).resolve() for file in (rom.drawings.colours, *rom.drawings.files)}
        assert {f"retrosim/_roms/{path.relative_to(ROOT / 'roms').as_posix()}" for path in needed} <= set(shipped)


def test_nothing_else_is_shipped(shipped: dict[str, Path]) -> None:
    assert {path.split("/")[0] for path in shipped} == {"retrosim"}
    suffixes = {Path(path).suffix for path in shipped if path.startswith("retrosim/_roms/")}
    assert suffixes == {".S", ".a", ".c", ".elf", ".h", ".pas", ".rtape", ".scene", ".toml", ".txt"}


def test_the_sources_of_every_line_are_shipped(shipped: dict[str, Path]) -> None:
    """What debugger, walk and reports show beside the machine code."""
    for name in rom_names():
        rom = load_rom(name)
        sources = {
            path
            for folder in source_folders(rom)
            for path in folder.iterdir()
            if path.suffix in (".c", ".h", ".S", ".pas")
        }
        assert {f"retrosim/_roms/{path.relative_to(ROOT / 'roms').as_posix()}" for path in sources} <= set(shipped)
        files = {Path(file).name for info in rom.images for _, file, _ in rom.image(info.isa, info.build).lines}
        assert files <= {path.name for path in sources}


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
