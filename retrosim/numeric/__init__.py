"""Words of the period's machines: scalars that wrap, Q11.5 positions, the random numbers of ANSI C."""
