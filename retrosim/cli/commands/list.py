"""List ROMs with their builds, machines with their parameters, and tapes.

examples:
  retrosim list
  retrosim list machines --details
  retrosim list tapes --json
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.errors import RetrosimError
from retrosim.machine.choices import NATIVE
from retrosim.report.text import counted

from .. import arguments
from ..output import columns, print_json, print_lines
from ..parser import Parser

if TYPE_CHECKING:
    from retrosim.machine.presets import Preset
    from retrosim.rom import Rom
    from retrosim.rom.toolchains import Toolchains

KINDS = ("roms", "machines", "tapes")
NATIVE_TITLE = "the same programs as compiled Python: no CPU, no cycles"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("what", nargs="?", choices=KINDS, metavar="KIND", help=f"{', '.join(KINDS)}; default: all")
    parser.add_argument("--details", action="store_true", help="show the parameters and readings of machines, too")
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.tape import shipped_tapes

    makers = {"roms": _roms, "machines": _machines, "tapes": lambda: [_tape(path) for path in shipped_tapes()]}
    found = {what: makers[what]() for what in ([options.what] if options.what else KINDS)}
    if options.details and "machines" not in found:
        raise argparse.ArgumentError(None, f"--details: {options.what} have none")
    if options.json:
        print_json(found)
        return 0
    machine_lines = _machine_details if options.details else _machine_lines
    writers = {"roms": _rom_lines, "machines": machine_lines, "tapes": _tape_lines}
    for what, entries in found.items():
        print_lines([what, *(writers[what](entries) if entries else ["  none"])])
    return 0


def _roms() -> list[dict[str, Any]]:
    from retrosim.rom import load_rom, load_toolchains, rom_names

    entries, toolchains = [], load_toolchains()
    for name in rom_names():
        try:
            entries.append(_rom(load_rom(name), toolchains))
        except RetrosimError as error:
            entries.append({"name": name, "error": str(error)})
    return entries


def _rom(rom: Rom, toolchains: Toolchains) -> dict[str, Any]:
    made_by = [toolchains.made_by(rom, info) for info in rom.images]
    return {
        "name": rom.name,
        "title": rom.title,
        "description": rom.description,
        "authors": rom.authors,
        "path": str(rom.path),
        "library": rom.is_library,
        "inputs": rom.inputs,
        "parameters": {
            name: {"default": each.default, "minimum": each.minimum, "maximum": each.maximum}
            for name, each in rom.parameters.items()
        },
        "images": [
            {"isa": info.isa, "build": info.build, "default": info.default, "file": info.file}
            | {"sha256": info.sha256, "compiler": compiler, "flags": " ".join(flags)}
            for info, (compiler, flags) in zip(rom.images, made_by)
        ],
    }


def _machines() -> list[dict[str, Any]]:
    from retrosim.machine import PRESETS

    entries = [
        {
            "name": name,
            "title": preset.title,
            "isa": preset.isa,
            "clock_hz": preset.clock_hz,
            "tick_hz": preset.tick_hz.as_integer_ratio(),
            "frame_hz": preset.frame_hz.as_integer_ratio(),
            "frame_period": preset.frame_period,
            "parameters": {name: asdict(each) for name, each in preset.parameters.items()},
            "readings": _readings(preset),
        }
        for name, preset in PRESETS.items()
    ]
    native = {"name": NATIVE, "title": NATIVE_TITLE, "parameters": {}, "readings": []}
    return [*entries, {**dict.fromkeys(entries[0]), **native}]


def _readings(preset: Preset) -> list[dict[str, Any]]:
    """Return the readings of a machine's CPU; `boots`: what it must be started in to have one, [] where all do."""
    by_boot = {boot: preset.cpu(boot).readings for boot in preset.cpus}
    entries = []
    for each in dict.fromkeys(reading for readings in by_boot.values() for reading in readings):
        boots = [boot for boot, readings in by_boot.items() if each in readings]
        entries.append(asdict(each) | {"boots": boots if len(boots) < len(by_boot) else []})
    return entries


def _tape(path: Path) -> dict[str, Any]:
    from retrosim.tape import load_tape

    try:
        tape = load_tape(path)
    except RetrosimError as error:
        return {"name": path.stem, "path": str(path), "error": str(error)}
    return {
        "name": path.stem,
        "path": str(path),
        "title": tape.title,
        "description": tape.header["description"],
        "author": tape.header["author"],
        "rom": tape.scenario,
        "machine": tape.machine,
        "parameters": tape.parameters,
        "frames": tape.frames,
        "inputs": len(tape.inputs),
        "complete": tape.is_complete,
    }


def _rom_lines(entries: list[dict[str, Any]]) -> list[str]:
    lines = []
    for entry in entries:
        if "error" in entry:
            lines.append(f"  {entry['name']}  {entry['error']}")
            continue
        lines.append(f"  {entry['name']}  {entry['title']}{', a library of routines' if entry['library'] else ''}")
        for isa in dict.fromkeys(image["isa"] for image in entry["images"]):
            builds = [image for image in entry["images"] if image["isa"] == isa]
            named = (f"{image['build']} (default)" if image["default"] else image["build"] for image in builds)
            lines.append(f"    {isa} builds {', '.join(named)}")
        lines += (
            f"    {name} {each['minimum']}..{each['maximum']}, default {each['default']}"
            for name, each in entry["parameters"].items()
        )
    return lines


def _machine_rows(entries: list[dict[str, Any]]) -> list[str]:
    rows = []
    for entry in entries:
        clock = f"{entry['clock_hz'] / 1e6:g} MHz" if entry["clock_hz"] else ""
        rates = {"tick": entry["tick_hz"], entry["frame_period"]: entry["frame_hz"]}
        rate = ", ".join(f"{hz[0] / hz[1]:.3f} {name}s/s" for name, hz in rates.items() if hz)
        rows.append([entry["name"], clock, rate, entry["title"]])
    return columns(rows)


def _machine_lines(entries: list[dict[str, Any]]) -> list[str]:
    rows = [[entry["name"], entry["title"]] for entry in entries]
    return [*columns(rows), "  their parameters and readings: `retrosim list machines --details`"]


def _machine_details(entries: list[dict[str, Any]]) -> list[str]:
    lines = []
    for line, entry in zip(_machine_rows(entries), entries, strict=True):
        lines.append(line)
        for name, each in entry["parameters"].items():
            lines.append(f"    {name} {each['minimum']}..{each['maximum']}, default {each['value']}: {each['meaning']}")
            lines.append(f"      {each['confidence']}, {each['low']}..{each['high']}: {each['source']}")
        for each in entry["readings"]:
            default, *others = each["options"]
            options = ", ".join([f"{default} (default)", *others])
            starts = f" ({', '.join(each['boots'])} mode)" if each["boots"] else ""
            lines.append(f"    reading {each['name']}{starts}: {each['question']}")
            lines.append(f"      {options}: {each['reason']}; {each['source']}")
    return [*lines, "  sources in guide/facts are pages: `retrosim guide facts/NAME`"]


def _tape_lines(entries: list[dict[str, Any]]) -> list[str]:
    rows = []
    for entry in entries:
        if "error" in entry:
            rows.append([entry["name"], "", "", entry["error"]])
            continue
        parameters = ", ".join(f"{name} {value}" for name, value in entry["parameters"].items())
        rows.append([entry["name"], counted(entry["frames"], "frame"), f"{entry['rom']}: {parameters}", entry["title"]])
    return columns(rows)
