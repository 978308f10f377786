"""Integer arithmetic of the period: wrapping words, Q11.5 positions, ANSI C random numbers, sines, distances.

fixed     Q11.5 fixed point, and words that wrap
random    the `rand` printed in the ANSI C standard
tables    sines, cosines and distances, read from tables
"""
