"""What an instruction set is made of: rows, the value layer, operands, timing hooks. Knows no engine.

cpu              what is known of one CPU model
decoding         decoding
hits             which uses of memory are plain hits of a data cache, by address
host             a CPU as the machine around it sees it
instruction_set  instruction sets
ir               LLVM code as text, written line by line while it is emitted
operands         operand kinds of every instruction set
rows             instruction rows
semantics        what semantic functions are written against
sources          what the sources of the clocks say: tables, confidence, readings, the entry of an instruction
timing           timing models
values           the value layer
"""
