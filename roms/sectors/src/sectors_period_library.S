/* What sectors_period.S calls of the library: part of that source, included there. */

	function memset				| void *memset(void *target, int value, unsigned long size)
	move.l	4(%sp),%a0
	move.l	8(%sp),%d0
	move.l	12(%sp),%d1
	jra	2f
1:	move.b	%d0,(%a0)+
2:	subq.l	#1,%d1
	jcc	1b
	move.l	4(%sp),%d0
	rts
	.size	memset,.-memset

#ifdef PERIOD_68000

#ifndef PERIOD_REGISTERS

	function LongMultiply			| d0 = d0 * d1; the low half
	move.l	%d2,-(%sp)
	move.l	%d0,%d2
	swap	%d2				| high word of d0 * low word of d1
	mulu.w	%d1,%d2
	move.l	%d3,-(%sp)
	move.l	%d1,%d3				| high word of d1 * low word of d0
	swap	%d3
	mulu.w	%d0,%d3
	add.w	%d3,%d2
	swap	%d2
	clr.w	%d2
	mulu.w	%d1,%d0				| low words
	add.l	%d2,%d0
	move.l	(%sp)+,%d3
	move.l	(%sp)+,%d2
	rts
	.size	LongMultiply,.-LongMultiply

#endif

	function LongDivide			| d0 = d0 / d1, towards zero; d1 is 1..65535
	move.l	%d2,-(%sp)
	tst.l	%d0
	smi	%d2
	jpl	1f
	neg.l	%d0
1:	move.w	%d2,-(%sp)
	move.l	%d0,%d2				| high word by d1
	clr.w	%d2
	swap	%d2
	divu.w	%d1,%d2
	swap	%d0				| its remainder and the low word by d1
	swap	%d2
	move.w	%d2,%d0
	swap	%d0
	divu.w	%d1,%d0
	move.w	%d0,%d2				| both quotients
	move.l	%d2,%d0
	tst.b	1(%sp)
	jeq	2f
	neg.l	%d0
2:	addq.l	#2,%sp
	move.l	(%sp)+,%d2
	rts
	.size	LongDivide,.-LongDivide

#endif
