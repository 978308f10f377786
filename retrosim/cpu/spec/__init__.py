"""What an instruction set is made of: rows, the value layer, operands, timing hooks. Knows no engine.

clock_table      tables of clocks
confidence       how sure a figure is
cpu              what is known of one CPU model
decoding         decoding
explain          what the manual says of an executed instruction
hits             which uses of memory are plain hits of a data cache, by address
host             a CPU as the machine around it sees it
instruction_set  instruction sets
ir               LLVM code as text, written line by line while it is emitted
operands         operand kinds of every instruction set
readings         readings
rows             instruction rows
semantics        what semantic functions are written against
timing           timing models
values           the value layer
"""
