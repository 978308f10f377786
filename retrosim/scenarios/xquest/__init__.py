"""The scenario of the ROM `xquest`.

picture  what the `xquest` ROM draws, as kernels
rules    the scenario of the `xquest` ROM as kernels
shapes   what the ROM `xquest` tests
state    the scenario `xquest` under way
"""
