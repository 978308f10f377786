/* A library runs nothing by itself. Flat 32-bit mode. */
	.intel_syntax noprefix
	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	int	0x60			/* next frame */
	jmp	_start
	.size	_start,.-_start
