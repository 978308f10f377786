"""Slow, exact judges in plain Python. They share no code with the kernels, and only tests import them."""
