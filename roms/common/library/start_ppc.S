# A library runs nothing by itself.

	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	li	0,0			# next frame
	sc
	b	_start
	.size	_start,.-_start
