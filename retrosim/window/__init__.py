"""What a user sees and does while a machine runs: session, panels, keys. Only `pyglet_window` imports pyglet.

canvas         draws images into rectangles of a window with OpenGL 3.3
chrome         draws the window's own parts in indices of the Macintosh palette
clip           writes moving pictures
compose        composes what the window shows around the machine's picture and over it
controls       every command of the window, in one table
hud            turns readings of the machine into the lines of text of the status bar
inputs         turns keys and clicks into commands, and remembers which keys are down so that none of them gets
               stuck
layout         where the parts of the window go
pacer          tells from a host clock how many ticks of simulated time are due, in exact arithmetic
panel          what all panels have in common that stand in place of the picture while the debugger runs the
               machine
pyglet_window  the window
seek           goes to any frame of a tape that is replayed
session        what the window does with a machine, without the window itself
transport      moves a machine through time
debugger       the debugger in the window
race           several machines that play one tape, side by side in a window
walk           the walk through a collision check, pair by pair, in the window
"""
