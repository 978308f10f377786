"""The scenario of the ROM `sectors`."""
