"""The debugger's commands: one interpreter for the terminal, the window, gdb's `monitor` and an editor's console.

commands  the table of commands, what each does, and which of them gdb and editors pass on
panes     the small views of a debugger, as lines that a click does something with
session   the machine, its points and moments, as commands change them
target    a machine under a debugger: what all who run it ask for
texts     rows of `retrosim.debug.views` as lines, and how commands read their arguments
"""
