"""What a user sees and does at a running machine: session, panels, keys. Only `window.window` imports pyglet."""
