"""The debugger's commands: one interpreter for the terminal, the window, gdb's `monitor` and an editor's console.

target     a machine under a debugger: what all who run it ask for
session    the machine, its points and moments, as commands change them
commands   the table of commands, what each does
monitor    those of them that gdb and editors pass on
texts      rows of `retrosim.debug.views` as lines
"""
