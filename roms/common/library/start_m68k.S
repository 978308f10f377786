| A library runs nothing by itself.

	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	.word	0xa000			| next frame
	jra	_start
	.size	_start,.-_start
