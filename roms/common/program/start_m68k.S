| Start-up and services of the 68K images. The machine has set the stack pointer.

	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	lea	__bss_start,%a0		| everything without an initial value is 0
	lea	_end,%a1
.Lclear:
	clr.l	(%a0)+
	cmp.l	%a1,%a0
	jcs	.Lclear
	jsr	Main
.Lexit:
	.word	0xa002			| status in d0
	jra	.Lexit
	.size	_start,.-_start

	.text
	.globl	YieldFrame
	.type	YieldFrame,@function
YieldFrame:				| void YieldFrame(void)
	.word	0xa000
	rts
	.size	YieldFrame,.-YieldFrame

	.globl	Microseconds
	.type	Microseconds,@function
Microseconds:				| void Microseconds(struct wide *now): d0 low, d1 high half
	.word	0xa001
	move.l	4(%sp),%a0
	move.l	%d1,(%a0)+
	move.l	%d0,(%a0)
	rts
	.size	Microseconds,.-Microseconds
