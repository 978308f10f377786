"""Integer arithmetic of the period: wrapping words, Q11.5 positions, ANSI C random numbers, sines, distances."""
