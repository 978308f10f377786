"""The commands: one module each, which holds the help, the options and what the command does; `cost` is a folder.

    docstring         what `retrosim COMMAND --help` shows; its first line also stands in `retrosim --help`
    add_options       adds the options to the command's parser; those that several commands share are in `arguments`
    run               carries the command out and returns the exit status

Imports at the top of a command's module are light, because `retrosim --help` loads them all; whatever brings a compiler
along is imported inside functions.
"""

COMMANDS = {
    "run": "run",
    "record": "record",
    "replay": "replay",
    "race": "race",
    "verify": "verify",
    "debug": "debug",
    "gdb": "gdb",
    "dap": "dap",
    "cost": "cost.command",
    "new": "new",
    "build": "build",
    "asm": "asm",
    "insn": "insn",
    "timing": "timing",
    "study": "study",
    "bench": "bench",
    "list": "list",
    "scenes": "scenes",
    "doctor": "doctor",
    "warmup": "warmup",
    "guide": "guide",
    "completion": "completion",
}
"""Command -> its module, in the order of `retrosim --help`."""
