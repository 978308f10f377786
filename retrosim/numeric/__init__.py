"""Integer arithmetic of the period: wrapping words, Q11.5 positions, ANSI C random numbers, sines, distances.

distance  distances in integers
fixed     q11.5 fixed point
random    the `rand` printed in the ANSI C standard
tables    sines and cosines in Q1.14, read from a table (No-collision boxes 2011 advises against computing them in
          a game)
"""
