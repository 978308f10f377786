"""Several machines that play one tape, side by side in a window.

session  what the window of a race does, without the window
window   the window of a race
"""
