"""Simulated CPUs: instruction sets as rows, and what runs, times, lists and assembles them.

    spec        what an instruction set is made of
    assembly    how operands and instructions are written and encoded
    engines     what runs the rows
    m68k ppc x86    an instruction set each

The instruction sets have the same files:

    models      the CPU models, each put together as a `Cpu`: registers by name, calling conventions, faults, tracing,
                and base clocks of an instruction as reports show them
    state       state fields, and operations on registers that many instructions share
    operands    operand kinds: what the parameter names of rows mean
    flags exceptions
    arith logic move flow system ...    the rows
    hooks       what clocks depend on besides the encoding
    assembly    the assembly language: its dialect, operands as they are written
    *.csv       price lists; files of the same name, or named after the part, have the timing models: clocks that are
                added up, pipelines, caches, buses
"""
