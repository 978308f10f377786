"""The scenario of the ROM `tanks`.

rules     the game, as kernels
scenario  what is drawn of it, its state, and what the ROM tests
"""
