"""The rows of the instruction sets as pages that people look up.

instructions  what the rows say of an instruction, and a page of the guide for each instruction set
single        one instruction as it is written, on each machine whose assembler takes it
"""
