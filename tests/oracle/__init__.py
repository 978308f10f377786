"""Slow, exact judges in plain Python: one file for each module of `retrosim.collide` that has an algorithm of its own.

They share nothing with the kernels, not even a constant: they import no Numba, no NumPy and nothing of the package but
each other, and only tests import them. Tests compare both, so that an error would have to be made twice to pass.
"""
