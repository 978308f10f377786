"""Simulates 640x480 machines of 1994 that run collision routines as real machine code, and counts their cycles.

    import retrosim

    machine = retrosim.open_machine("mc68040-25", "sectors", parameters={"objects": 100})
    machine.run(frames=60)
    cost = machine.measure("DetermineCollisions")
    print(cost.cycles, cost.instructions, machine.world().columns["collided"].sum())

The public names are listed in `__init__.pyi` and imported when they are first used, so that `import retrosim` is fast
and needs no compiler and no display. The routines alone, on plain arrays, are in `retrosim.collide`.

    checks      checks of single values
    errors      everything retrosim raises on purpose
    jit         the one place that decorates functions for Numba, and keeps in the cache what they are compiled to
    lazy        packages whose public names are imported when they are first used
    reading     reading files that a user names
    version     the version of this program
    asm         the assembler
    bench       the speed of this host
    bounds      the proof of the least and the most clocks that a call of a routine can take
    cache       compiled code on disk that a damaged file, another user or a full disk can slow down, but never break
    cli         the command line
    collide     collision detection in two dimensions, exact in integers
    console     the debugger's commands
    cost        what a call or a run costs, by instruction, line, function and cause; compared, swept, profiled
    cpu         simulated CPUs
    debug       the debugger of a machine
    examples    examples
    guide       the guide
    jobs        long work as jobs of plain data
    lessons     lessons for a class, answered by measuring
    machine     machines by name
    numeric     integer arithmetic of the period
    reference   the rows of the instruction sets as pages that people look up
    report      what every report is made of
    rom         ROMs
    scenarios   the programs of the shipped ROMs as kernels
    screen      pictures and what is drawn over them
    serve       servers for debuggers of other people
    study       the collision methods of the five documents on the same scenes
    table_1994  the table that Tom Moertel printed on 21 June 1994 beside ours, and where the clocks of a check go
    tape        scenario tapes
    testing     the pytest plugin
    window      what a user sees and does while a machine runs
"""

from .lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
