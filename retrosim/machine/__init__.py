"""Machines by name: presets, memory map, clock, services, save states, and the native kernels beside them.

The public names are listed in `__init__.pyi` and imported when they are first used: to list the machines needs no
compiler.

    ahead       what can be compiled in advance for the programs of ROMs, and which parts of it the cache holds
                already
    boards      what surrounds a CPU
    budget      what a run may use up
    choices     what a machine is told by name, and what is usual
    console     text on the screen of a simulated machine
    headless    runs a machine without a display
    interface   what may be relied on of a machine, as protocols, and what its runs return
    interval    how far the clocks of a machine may be off
    machine     a simulated machine
    memory      the memory map that all simulated machines share
    native      the native machine
    opening     opens machines by name, simulated or native
    pieces      running in pieces, with a look at the clock in between
    placing     writes a scene into the memory of a simulated machine, through the description of its ROM
    presets     machines by name, and checks of what is changed of them
    registers   registers of a machine: by name, and which of them a routine uses before anybody has set them
    state_file  saved machine states
    systems     operating systems that programs were made for
    world       the world
"""

from retrosim.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
