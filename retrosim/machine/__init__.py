"""Machines by name: presets, memory map, clock, services, save states, and the native kernels beside them.

The public names are listed in `__init__.pyi` and imported when they are first used: to list the machines needs no
compiler.
"""

from retrosim.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
