"""The scenario of the ROM `tunnel`.

picture  what the `tunnel` ROM draws, as kernels
rules    the scenario of the `tunnel` ROM as kernels
shapes   what the ROM `tunnel` tests
state    the scenario `tunnel` under way
"""
