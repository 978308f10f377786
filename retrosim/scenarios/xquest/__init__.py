"""The scenario of the ROM `xquest`."""
