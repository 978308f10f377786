"""The command line: `retrosim COMMAND ...`.

    commands   the commands, each with its help, its options and what it does
    arguments  options that several commands share
    values     the readers of their values
    parser     puts the commands together; usage errors, suggestions
    settings   what a command was told, as records
    opening    opens the ROM and the machine that settings name
    debugging  what the commands for debuggers share
    profiling  options of commands that profile, and the files that they write
    output     results, messages, new files
    progress   what takes long
    display    the window
    terminal   the debugger in the terminal
    teaching   a lesson in the terminal, and what runs its commands

Exit status   0 ok, 1 failure, 2 usage, 3 divergence, 4 bad or corrupt input file, 5 budget used up,
              130 interrupted by Ctrl-C, 141 the reader of the output has gone
Output        results on stdout, everything else on stderr; an error is one line "retrosim: ...", with a traceback only
              if RETROSIM_DEBUG is set

What a command needs is imported when it runs: `retrosim --help` and `retrosim list` load no compiler.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import NoReturn, TextIO

from retrosim.errors import RetrosimError

from .output import say
from .parser import USAGE, parse

FAILURE, INTERRUPTED, BROKEN_PIPE = 1, 130, 141


WINDOW = "retrosim.window.pyglet_window"


def run_process() -> NoReturn:
    """Run the command that the process was started with, and end the process.

    Who has closed a window does not wait for what is still being compiled: files are closed by then, and the cache
    takes an entry as a whole or not at all.
    """
    status = main()
    if WINDOW in sys.modules and threading.active_count() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # the interpreter's own end would wait for all threads
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; nothing is raised.

    argv     arguments without the program's name; default: those of the process
    """
    _escape_unprintable(sys.stdout, sys.stderr)
    try:
        options = parse(sys.argv[1:] if argv is None else argv)
        status: int = options.carry_out(options)
        sys.stdout.flush()
        return status
    except SystemExit as ending:  # help, the version, or a usage error has been printed
        return int(ending.code or 0)
    except KeyboardInterrupt as interruption:
        say(str(interruption) or "interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return BROKEN_PIPE
    except argparse.ArgumentError as error:
        say(str(error))
        return USAGE
    except RetrosimError as error:
        say(str(error))
        _debug()
        return error.exit_status
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # while a class was being made
            say("interrupted")
            return INTERRUPTED
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            say(f"{error.filename or 'the output'}: cannot be written: {error.strerror}")
            _close_stdout()
            return FAILURE
        say(f"unexpected {type(error).__name__}: {error} (RETROSIM_DEBUG=1 shows where)")
        _debug()
        return FAILURE


def _escape_unprintable(*streams: TextIO) -> None:
    """Let streams of any encoding take any text."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _debug() -> None:
    if os.environ.get("RETROSIM_DEBUG"):
        traceback.print_exc()


def _close_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's own last flush does not fail."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # stdout is not a file of the system
        return
