"""The scenario of the ROM `gallery`.

picture  what the `gallery` ROM draws, as kernels
rules    the scenario of the `gallery` ROM as kernels
shapes   what the ROM `gallery` tests
state    the scenario `gallery` under way
"""
