"""The scenario of the ROM `shooter`."""
