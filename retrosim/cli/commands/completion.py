"""Print a script that completes commands, options and names in a shell.

For bash, zsh, tcsh, fish and PowerShell. The script knows the machines, ROMs,
builds and tapes of the installed version. For zsh write it to a file _retrosim
in a folder of $fpath, for bash put this line into ~/.bashrc:
  eval "$(retrosim completion bash)"

examples:
  retrosim completion bash
  retrosim completion zsh > ~/.zfunc/_retrosim
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from retrosim.checks import check_choice

from ..parser import Parser, build_parser
from ..values import OVERLAYS, bad_arguments


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("shell", metavar="SHELL", help="bash, zsh, tcsh, fish or powershell")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    import shtab

    with bad_arguments():
        check_choice("shell", options.shell, shtab.SUPPORTED_SHELLS)
    parser = build_parser()
    for action in _actions(parser):
        _complete(action)
    print(shtab.complete(parser, shell=options.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action


def _complete(action: argparse.Action) -> None:
    """Tell shtab what completes an argument: its metavar says what kind of value it takes."""
    import shtab

    kind = str(action.metavar)
    names = list(NAMES[kind]()) if kind in NAMES else []
    if kind in FILES:
        action.complete = _names_or_file(kind, names) if names else shtab.FILE  # type: ignore[attr-defined]
    elif names:
        action.choices = names


def _names_or_file(kind: str, names: Iterable[str]) -> dict[str, Any]:
    """Return what completes one of some names or a file; in shells other than bash and zsh, a file."""
    import shtab

    function, words = f"_retrosim_{kind.lower()}", " ".join(names)
    bash = f'{function}() {{\n  compgen -W "{words}" -- "$1"\n  compgen -f -- "$1"\n}}'
    zsh = f"{function}() {{\n  _alternative 'names:{kind}:({words})' 'files:file:_files'\n}}"
    return {**shtab.FILE, "bash": function, "zsh": function, "preamble": {"bash": bash, "zsh": zsh}}


def _machine_names() -> Iterable[str]:
    from retrosim.machine import MACHINE_NAMES

    return MACHINE_NAMES


def _rom_names() -> Iterable[str]:
    from retrosim.rom import rom_names

    return rom_names()


def _tape_names() -> Iterable[str]:
    from retrosim.tape import shipped_tapes

    return (path.stem for path in shipped_tapes())


def _scene_names() -> Iterable[str]:
    from retrosim.rom.scene import shipped_scenes

    return (path.stem for path in shipped_scenes())


def _topics() -> Iterable[str]:
    from retrosim.guide import TOPICS

    return TOPICS


def _lessons() -> Iterable[str]:
    from retrosim.lessons.lesson import lesson_names

    return lesson_names()


def _builds() -> Iterable[str]:
    from retrosim.rom import load_rom, rom_names

    return sorted({info.build for name in rom_names() for info in load_rom(name).images})


NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "MACHINE": _machine_names,
    "MACHINES": _machine_names,
    "ROM": _rom_names,
    "ELF": _rom_names,
    "BUILD": _builds,
    "TAPE": _tape_names,
    "SCENE": _scene_names,
    "TOPIC": _topics,
    "LESSON": _lessons,
    "LIST": lambda: OVERLAYS,
}
"""Kind of value -> its names."""

FILES = ("ROM", "ELF", "TAPE", "SCENE", "LESSON", "PNG", "FILE")
"""Kinds of values that may be files."""
