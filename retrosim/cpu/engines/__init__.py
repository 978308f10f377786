"""What runs the rows: evaluator, interpreter, recompiler, and the tiers that choose. Knows no instruction set."""
