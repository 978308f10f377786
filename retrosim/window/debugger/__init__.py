"""The debugger in the window.

keys   every command of the debugger panel, in one table
panel  the debugger of the window
view   draws the debugger in place of the machine's picture
"""
