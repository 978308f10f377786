"""Simulates 640x480 machines of 1994 that run collision routines as real machine code, and counts their cycles.

    import retrosim

    machine = retrosim.open_machine("mc68040-25", "sectors", parameters={"objects": 100})
    machine.run(frames=60)
    cost = machine.measure("DetermineCollisions")
    print(cost.cycles, cost.instructions, machine.world().columns["collided"].sum())

The public names are listed in `__init__.pyi` and imported when they are first used, so that `import retrosim` is fast
and needs no compiler and no display. The routines alone, on plain arrays, are in `retrosim.collide`.
"""

from .lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
