"""What an instruction set is made of: rows, the value layer, operands, timing hooks. Knows no engine."""
