"""The scenario of the ROM `tanks`."""
