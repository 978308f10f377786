| The test of Mackey 1995 for sprites of up to 32 pixels: LSL and AND for each row. 68000 and up.

	.text
	.globl	mask_touch
	.type	mask_touch,@function
mask_touch:	| int mask_touch(const unsigned long *left_rows, const unsigned long *right_rows, int rows, int shift)
		| rows 0..32767, shift 0..31; 1 if a pixel is in common, else 0
	move.l	%d2,-(%sp)
	move.l	8(%sp),%a0
	move.l	12(%sp),%a1
	move.l	16(%sp),%d0
	move.l	20(%sp),%d1
	subq.l	#1,%d0
	jmi	.Lnone
.Lrow:
	move.l	(%a0)+,%d2
	lsl.l	%d1,%d2
	and.l	(%a1)+,%d2
	dbne	%d0,.Lrow		| the next one, unless a pixel is in common
	jeq	.Lnone
	moveq	#1,%d0
	move.l	(%sp)+,%d2
	rts
.Lnone:
	moveq	#0,%d0
	move.l	(%sp)+,%d2
	rts
	.size	mask_touch,.-mask_touch
