"""The scenario of the ROM `tunnel`."""
