"""The commands: one module each, which holds the help, the options and what the command does; `cost` is a folder.

    docstring         what `retrosim COMMAND --help` shows; its first line also stands in `retrosim --help`
    add_options       adds the options to the command's parser; those that several commands share are in `arguments`
    run               carries the command out and returns the exit status

    run         run a ROM in a window, or without one
    record      record a scenario tape in a window, or from a script without one
    replay      replay a scenario tape in a window, or without one, and compare its hashes
    race        play one tape on several machines side by side, and say how long each takes
    verify      replay tapes on several machines and name the first frame and field that differ
    debug       debug a program in the terminal, forwards and backwards
    gdb         let gdb debug a program: a server for its remote protocol
    dap         let an editor debug a program: a server for the Debug Adapter Protocol
    cost        count the clock cycles of one routine, by instruction, source line and function
    new         make a small program to begin with: sources, a header of the machine, a test
    build       assemble, compile and link a program into one ELF file, without linker or make
    asm         assemble a source into an ELF file with symbols and source lines
    insn        show an instruction: encodings, forms, flags, clocks with sources, an example
    timing      compare the cycles of the routine of 1994 with the table printed that year
    study       compare the collision methods of five documents: errors, operations, cycles
    bench       compare the speed of engines and kernels on this computer with other programs
    list        list ROMs with their builds, machines with their parameters, and tapes
    scenes      list scenes, check and show some, or tell what a scene may place in a ROM
    doctor      check what works on this computer, and say what retrosim does not model
    warmup      compile the default machines and ROMs in advance
    guide       show the manual in the terminal
    lesson      run a lesson for a class, step by step; without a name, list them
    completion  print a script that completes commands, options and names in a shell

Imports at the top of a command's module are light, because `retrosim --help` loads them all; whatever brings a compiler
along is imported inside functions.
"""

_NAMES = (
    "run record replay race verify debug gdb dap cost new build asm insn timing study bench list scenes doctor "
    "warmup guide lesson completion"
)
COMMANDS = {name: name for name in _NAMES.split()} | {"cost": "cost.command"}
"""Command -> its module, in the order of `retrosim --help`."""
