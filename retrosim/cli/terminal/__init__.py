"""The debugger in the terminal, `retrosim debug`: line by line, or the whole screen."""
