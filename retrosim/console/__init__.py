"""The debugger's commands: one interpreter for the terminal, the window, gdb's `monitor` and an editor's console.

target     a machine under a debugger: what all who run it ask for
session    the machine, its points and moments, as commands change them
commands   the table of commands, what each does
monitor    those of them that gdb and editors pass on
texts      rows of `retrosim.debug.views` as lines

    commands  the commands of the debugger, for the terminal, the window, gdb and editors
    monitor   the commands that other debuggers pass on
    panes     the small views of a debugger, as lines that a click does something with
    session   a session of the debugger in the terminal
    target    a machine under a debugger, as gdb and editors ask for it
    texts     views of a debugger as lines for a terminal
"""
