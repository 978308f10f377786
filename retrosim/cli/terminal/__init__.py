"""The debugger in the terminal, `retrosim debug`: line by line, or the whole screen.

loop        reads commands for the debugger
screen      the debugger as a full screen of the terminal
"""
