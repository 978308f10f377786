"""Processors: `spec` declares instructions, `engines` run them, and each instruction set has a package of its own."""
