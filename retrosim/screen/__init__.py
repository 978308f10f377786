"""Pictures and what is drawn over them: framebuffer, palette, patterns, font, overlay, PNG files. NumPy only."""
