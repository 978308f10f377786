"""What the machines show, from patterns to the window. Only `window` needs a display, and only when one is opened.

picture  the machine's screen, 640x480 palette indices
bar      the window's row of buttons, above the picture
strip    the window's lines of figures and messages, below it
overlay  what is drawn over the picture on request: collisions, sector grid, key list
"""
