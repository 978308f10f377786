"""What a user sees and does while a machine runs: session, panels, keys. Only `pyglet_window` imports pyglet."""
