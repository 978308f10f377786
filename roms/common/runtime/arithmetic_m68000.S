| Called by compiled code where the 68000 has no instruction: long multiplication, from products of words.

	.text
	.globl	__mulsi3
	.type	__mulsi3,@function
__mulsi3:				| s32 __mulsi3(s32 a, s32 b): the low half of a * b
	move.w	4(%sp),%d0		| high word of a * low word of b
	mulu.w	10(%sp),%d0
	move.w	6(%sp),%d1		| low word of a * high word of b
	mulu.w	8(%sp),%d1
	add.w	%d1,%d0
	swap	%d0			| count 2^16 times; what lies above 2^32 is lost
	clr.w	%d0
	move.w	6(%sp),%d1		| low word of a * low word of b
	mulu.w	10(%sp),%d1
	add.l	%d1,%d0
	rts
	.size	__mulsi3,.-__mulsi3
