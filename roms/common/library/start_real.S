/* A library runs nothing by itself. Real mode. */
	.intel_syntax noprefix
	.code16
	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	int	0x60			/* next frame */
	jmp	_start
	.size	_start,.-_start
