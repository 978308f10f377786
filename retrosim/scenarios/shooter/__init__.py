"""The scenario of the ROM `shooter`.

picture  what the `shooter` ROM draws, as kernels
rules    the scenario of the `shooter` ROM as kernels
shapes   what the ROM `shooter` tests
state    the scenario `shooter` under way
"""
