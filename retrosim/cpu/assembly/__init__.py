"""How the operands and instructions of the rows are written and encoded: the rows read backwards.

assembler    assembling one instruction
dialect      how the assembly language of an instruction set is written
encoding     encoding
expressions  expressions of assembly language
statements   instructions as they are written
templates    templates of assembly text, such as "CMP.{s} {ea},{d}"
"""
