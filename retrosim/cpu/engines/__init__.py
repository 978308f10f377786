"""What runs the rows: evaluator, interpreter, recompiler, and the tiers that choose. Knows no instruction set.

compiled     functions as machine code, most of the handler type, compiled in groups and cached
core         what the engines of one CPU share
emit         the compiled value layer
evaluate     tier 0
profiling    counts in the interpreter how often each instruction runs and what it takes, and logs where functions
             are left
tiers        starts at once and gets faster
clock_table  full timing of recompiled code from a table of pipeline states
handlers     the interpreter
regions      the recompiler
"""
