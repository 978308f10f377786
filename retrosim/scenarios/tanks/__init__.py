"""The scenario of the ROM `tanks`.

picture  what the `tanks` ROM draws, as kernels
rules    the scenario of the `tanks` ROM as kernels
shapes   what the ROM `tanks` tests
state    the scenario `tanks` under way
"""
