"""Where the clocks of a program go: call trees, source lines, files for other profilers, pages.

A layer above the machine: it knows instructions, symbols and clocks, and no command.
"""
