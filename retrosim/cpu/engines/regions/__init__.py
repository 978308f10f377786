"""The recompiler: basic blocks that belong together, compiled as one function.

compiled_region  a region compiled, or loaded from the cache
counting         regions that count for a profile (profiling.py)
liveness         what instructions do with state fields
recompile        tier 2
regions          finds the code of a ROM
"""
