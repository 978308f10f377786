"""The walk through a collision check, pair by pair, in the window.

panel  the walk through a collision check in the window
view   draws the walk through a check over the machine's picture
"""
