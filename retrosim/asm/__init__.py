"""The assembler: source texts into code, by the rows of the instruction sets.

    source      files into statements: comments, labels, include, conditions, macros, repetition
    files       what include and incbin read
    directives  what is no instruction: data, space, sections, symbols
    processors  their names, and the assembler of each
    program     sections, symbols, and the passes that settle where everything lies
    assembling  the whole, and what it becomes: sections, symbols, the ELF file
    linking     sources and objects into one program, with what compilers call by themselves
    project     a folder with `retrosim.toml`, and how files that users name become programs

Instructions are read and encoded by retrosim/cpu/assembly/assembler.py.
"""

from retrosim.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
