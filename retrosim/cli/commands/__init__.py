"""The commands: one module each, which holds the help, the options and what the command does.

    docstring         what `retrosim COMMAND --help` shows; its first line also stands in `retrosim --help`
    add_options       adds the options to the command's parser; those that several commands share are in `arguments`
    run               carries the command out and returns the exit status

Imports at the top of a command's module are light, because `retrosim --help` loads them all; whatever brings a compiler
along is imported inside functions.
"""

COMMANDS = (
    "run",
    "record",
    "replay",
    "race",
    "verify",
    "debug",
    "gdb",
    "dap",
    "cost",
    "new",
    "build",
    "asm",
    "insn",
    "timing",
    "study",
    "bench",
    "list",
    "scenes",
    "doctor",
    "warmup",
    "guide",
    "completion",
)
