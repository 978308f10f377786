| Called by compiled code where the 68000 has no instruction: long division.

	.text

| d0 / d1, both unsigned: quotient in d0, remainder in d1; changes d2 and d3.
divide:
	cmp.l	#0xffff,%d1
	jhi	.Llong
	move.l	%d0,%d2			| a divisor of 16 bits: two divisions of 32 by 16 bits
	clr.w	%d2
	swap	%d2
	divu.w	%d1,%d2			| the high word; a divisor of 0 is an exception, as on later processors
	move.w	%d2,%d3
	move.w	%d0,%d2
	divu.w	%d1,%d2			| remainder and the low word
	swap	%d3
	move.w	%d2,%d3
	move.l	%d3,%d0
	clr.w	%d2
	swap	%d2
	move.l	%d2,%d1
	rts
.Llong:
	moveq	#0,%d2			| remainder
	moveq	#31,%d3
.Lbit:
	add.l	%d0,%d0			| next bit of the dividend; bit 0 becomes one of the quotient
	addx.l	%d2,%d2
	jcs	.Lone			| 33 bits: larger than any divisor
	cmp.l	%d1,%d2
	jcs	.Lzero
.Lone:
	sub.l	%d1,%d2
	addq.b	#1,%d0
.Lzero:
	dbra	%d3,.Lbit
	move.l	%d2,%d1
	rts
	.size	divide,.-divide

	.globl	__udivsi3
	.type	__udivsi3,@function
__udivsi3:				| u32 __udivsi3(u32 a, u32 b): a / b
	movem.l	%d2-%d3,-(%sp)
	move.l	12(%sp),%d0
	move.l	16(%sp),%d1
	jbsr	divide
	movem.l	(%sp)+,%d2-%d3
	rts
	.size	__udivsi3,.-__udivsi3

	.globl	__umodsi3
	.type	__umodsi3,@function
__umodsi3:				| u32 __umodsi3(u32 a, u32 b): a % b
	movem.l	%d2-%d3,-(%sp)
	move.l	12(%sp),%d0
	move.l	16(%sp),%d1
	jbsr	divide
	move.l	%d1,%d0
	movem.l	(%sp)+,%d2-%d3
	rts
	.size	__umodsi3,.-__umodsi3

	.globl	__divsi3
	.type	__divsi3,@function
__divsi3:				| s32 __divsi3(s32 a, s32 b): a / b, towards 0
	movem.l	%d2-%d3,-(%sp)
	move.l	12(%sp),%d0
	jpl	.Ldividend
	neg.l	%d0
.Ldividend:
	move.l	16(%sp),%d1
	jpl	.Ldivisor
	neg.l	%d1
.Ldivisor:
	jbsr	divide
	move.b	12(%sp),%d1
	move.b	16(%sp),%d2
	eor.b	%d1,%d2
	jpl	.Lquotient
	neg.l	%d0
.Lquotient:
	movem.l	(%sp)+,%d2-%d3
	rts
	.size	__divsi3,.-__divsi3

	.globl	__modsi3
	.type	__modsi3,@function
__modsi3:				| s32 __modsi3(s32 a, s32 b): a % b, with the sign of a
	movem.l	%d2-%d3,-(%sp)
	move.l	12(%sp),%d0
	jpl	.Lfirst
	neg.l	%d0
.Lfirst:
	move.l	16(%sp),%d1
	jpl	.Lsecond
	neg.l	%d1
.Lsecond:
	jbsr	divide
	tst.b	12(%sp)
	jpl	.Lremainder
	neg.l	%d1
.Lremainder:
	move.l	%d1,%d0
	movem.l	(%sp)+,%d2-%d3
	rts
	.size	__modsi3,.-__modsi3
