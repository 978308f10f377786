"""The scenario of the ROM `gallery`."""
