"""What a user sees and does while a machine runs: session, panels, keys. Only `pyglet_window` imports pyglet.

chrome         the window's own parts: toolbar, status bar and its lines, and where each goes
clip           writes moving pictures
compose        composes what the window shows around the machine's picture and over it
controls       every command of the window, in one table
gamepads       game controllers as the keys of the program's pad
pacer          tells from a host clock how many ticks of simulated time are due, in exact arithmetic
pad            the input word that keys make, for at least a frame each
panel          what the panels have in common: debugger and walk, each in place of the picture
pyglet_window  the window: keys, mouse and OpenGL around a session
race           several machines that play one tape, side by side in a window of their own
seek           goes to any frame of a tape that is replayed
session        what the window does with a machine, without the window itself
transport      moves a machine through time
debugger       the debugger in the window
walk           the walk through a collision check, pair by pair, in the window
"""
