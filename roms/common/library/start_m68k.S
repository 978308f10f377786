| A library runs nothing by itself.
#include "far_m68k.h"
	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	.word	0xa000			| next frame
	FAR_JUMP(_start)
	.size	_start,.-_start
