"""How the operands and instructions of the rows are written and encoded: the rows read backwards.

assembler    assembling one instruction: its statement, the forms that it may have, the shortest code
dialect      how the assembly language of an instruction set is written; templates of its text
encoding     encoding
expressions  expressions of assembly language
"""
