"""The debugger in the window.

panel  the debugger of the window
view   draws the debugger in place of the machine's picture
"""
