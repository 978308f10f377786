"""List scenes, check and show some, or tell what a scene may place in a ROM.

A scene is a text that says where the objects of a ROM are. `run --scene` and
`record --scene` begin with it. The format: `retrosim guide scenes`.

examples:
  retrosim scenes
  retrosim scenes cross mine.scene
  retrosim scenes --rom tanks
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from retrosim.errors import RetrosimError, SceneError
from retrosim.report.text import counted

from ..output import columns, print_json, print_lines, say, shown_path
from ..parser import Parser

if TYPE_CHECKING:
    from retrosim.rom import Rom
    from retrosim.rom.columns import SceneField
    from retrosim.rom.scene import Scene

MAX_CELLS = 12  # columns of a shown scene


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="names or files to check and show; default: all")
    parser.add_argument(
        "--rom", metavar="ROM", help="what a scene may place in this ROM; with SCENE: instead of the one that it names"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.rom import load_rom
    from retrosim.rom.scene import shipped_scenes

    rom = None if options.rom is None else load_rom(options.rom)
    if rom is not None and not options.scenes:
        return _show_fields(rom, options.json)
    status, entries = 0, []
    for name in options.scenes or shipped_scenes():
        try:
            entries.append(_entry(name, rom))
        except RetrosimError as error:
            status = status or getattr(error, "exit_status", 1)
            entries.append({"name": str(name), "error": str(error)})
    if options.json:
        print_json({"scenes": entries})
    else:
        good = [entry for entry in entries if "error" not in entry]
        print_lines(_table(good) if not options.scenes else [line for entry in good for line in _shown(entry)])
    for entry in entries:
        if "error" in entry:
            say(entry["error"])
    return status


def _entry(name: Any, rom: Rom | None) -> dict[str, Any]:
    from retrosim.rom import load_rom
    from retrosim.rom.scene import find_scene, load_scene

    path = find_scene(name)
    scene = load_scene(path, rom)
    program = rom or load_rom(scene.rom)
    if not program.scene.objects:
        raise SceneError(path, f"rom {program.name}: takes no scenes")
    return {
        "name": path.stem,
        "path": str(path),
        "rom": scene.rom,
        "title": scene.title,
        "author": scene.author,
        "description": scene.description,
        "seed": scene.seed,
        "objects": scene.objects,
        "fields": _values(scene, program),
    }


def _values(scene: Scene, rom: Rom) -> dict[str, list[str | None]]:
    """Return field -> value of each object as a scene spells it, None where the program's own stays."""
    from retrosim.rom.scene import in_words

    given = scene.columns()
    words = {field.name: in_words(field, rom) for field in rom.scene.objects}
    return {
        field.name: [
            None if (value := given[field.column].get(index)) is None else words[field.name](value)
            for index in range(scene.objects)
        ]
        for field in rom.scene.objects
        if field.is_free and field.column in given
    }


def _table(entries: list[dict[str, Any]]) -> list[str]:
    rows = [[entry["name"], entry["rom"], counted(entry["objects"], "object"), entry["title"]] for entry in entries]
    return ["scenes", *(columns(rows) if rows else ["  none"])]


def _shown(entry: dict[str, Any]) -> Iterator[str]:
    seed = "" if entry["seed"] is None else f", seed {entry['seed']}"
    yield f"{shown_path(entry['path'])}: {entry['title'] or entry['name']}"
    yield f"  {counted(entry['objects'], 'object')} of {entry['rom']}{seed}"
    if entry["description"]:
        yield f"  {entry['description']}"
    names = list(entry["fields"])[:MAX_CELLS]
    rows = [["", *names]]
    for index in range(entry["objects"]):
        rows.append([str(index), *("-" if (v := entry["fields"][name][index]) is None else v for name in names)])
    yield from columns(rows)


def _show_fields(rom: Rom, as_json: bool) -> int:
    from retrosim.rom.scene import allowed_words, in_words, range_text

    kinds = (("object", rom.scene.objects), ("set", rom.scene.singles))

    def plain(kind: str, field: SceneField) -> dict[str, Any]:
        words = allowed_words(field, rom)
        default = None if field.default is None else in_words(field, rom)(field.default)
        return {"line": kind, "name": field.name, "unit": field.unit, "default": default} | {
            "allowed": ", ".join(words) if words else range_text(field)
        }

    entries = [plain(kind, field) for kind, fields in kinds for field in fields if field.is_free]
    if as_json:
        print_json({"rom": rom.name, "fields": entries})
        return 0
    if not entries:
        print_lines([f"{rom.name} takes no scenes (its rom.toml has no table [scene])"])
        return 0
    rows = [
        [entry["line"], entry["name"], entry["allowed"], entry["default"] or "as the program has it"]
        for entry in entries
    ]
    print_lines(
        [f"what a scene may place in {rom.name}", *columns([["line", "field", "allowed", "without it"], *rows])]
    )
    return 0
