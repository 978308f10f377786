"""The scenario of the ROM `sectors`.

picture  what the `sectors` ROM draws, as kernels
printed  the table of 1994 as printed
rules    the demo scenario of the `sectors` ROM as kernels
shapes   what the ROM `sectors` tests
state    the scenario `sectors` under way
"""
