"""Simulated CPUs: `spec` says what a row is, `engines` run rows, and each instruction set has a package of its own.

Those packages have the same files:

    models      the CPU models, each put together as a `Cpu`
    state       state fields, and operations on registers that many instructions share
    operands    operand kinds: what the parameter names of rows mean
    flags exceptions
    arith logic move flow system ...    the rows
    hooks       what clocks depend on besides the encoding
    *_clocks    price lists: a CSV file, and which of its entries an instruction has
    timing      the timing models by mode; those of a pipeline, cache or bus in files named after the part
    explain     base clocks of an instruction as reports show them
    causes      what the clocks of a pipeline are counted under
    host        registers by name, calling conventions, faults, tracing
"""
