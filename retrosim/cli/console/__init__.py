"""The debugger in the terminal: `retrosim debug`.

session    the machine, its points and moments, as commands change them
commands   the table of commands, what each does
texts      rows of `retrosim.machine.debug.views` as lines
loop       reads commands from a terminal, a pipe or the command line
"""
