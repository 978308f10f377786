"""Simulated CPUs: `spec` says what a row is, `engines` run rows, and each instruction set has a package of its own.

Those packages have the same files:

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
