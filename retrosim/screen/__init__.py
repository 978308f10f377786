"""The picture of a machine: framebuffer, palette, patterns, font, PNG files and the overlay. NumPy only."""
