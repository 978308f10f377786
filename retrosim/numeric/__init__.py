"""Words of the period's machines: wrapping scalars, Q11.5 positions, ANSI C random numbers, sines, distances."""
