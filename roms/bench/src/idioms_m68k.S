| The idioms of the 68K, for all its members. C keeps d2-d7 and a2-a6.

	.text
	.globl	copy_blocks
	.type	copy_blocks,@function
copy_blocks:	| void copy_blocks(u32 *to, const u32 *from, u32 blocks)
	movem.l	%d2-%d7/%a2,-(%sp)
	move.l	32(%sp),%a1
	move.l	36(%sp),%a0
	move.l	40(%sp),%d0
	bra.s	.Lcopy_next
.Lcopy:
	movem.l	(%a0)+,%d1-%d7/%a2	| eight registers
	movem.l	%d1-%d7/%a2,(%a1)
	lea	32(%a1),%a1
.Lcopy_next:
	dbf	%d0,.Lcopy
	movem.l	(%sp)+,%d2-%d7/%a2
	rts
	.size	copy_blocks,.-copy_blocks

	.globl	fill_words
	.type	fill_words,@function
fill_words:	| void fill_words(u32 *to, u32 word, u32 count): downwards, four at a time, as screens were cleared
	movem.l	%d2-%d4,-(%sp)
	move.l	16(%sp),%a0
	move.l	20(%sp),%d1
	move.l	24(%sp),%d0
	move.l	%d0,%d2
	lsl.l	#2,%d2
	add.l	%d2,%a0
	move.l	%d1,%d2
	move.l	%d1,%d3
	move.l	%d1,%d4
	bra.s	.Lfill_next
.Lfill:
	movem.l	%d1-%d4,-(%a0)
.Lfill_next:
	subq.l	#4,%d0
	bcc.s	.Lfill
	addq.l	#4,%d0
	bra.s	.Lrest_next
.Lrest:
	move.l	%d1,-(%a0)
.Lrest_next:
	dbf	%d0,.Lrest
	movem.l	(%sp)+,%d2-%d4
	rts
	.size	fill_words,.-fill_words

	.globl	find_byte
	.type	find_byte,@function
find_byte:	| u32 find_byte(const u8 *bytes, u32 count, u32 wanted), count 1..65535
	move.l	4(%sp),%a0
	move.l	8(%sp),%d0
	move.l	12(%sp),%d1
	move.l	%d0,%a1			| how many
	subq.w	#1,%d0
.Lfind:
	cmp.b	(%a0)+,%d1
	dbeq	%d0,.Lfind
	beq.s	.Lfound
	move.l	%a1,%d0
	rts
.Lfound:
	move.l	%a0,%d0
	sub.l	4(%sp),%d0
	subq.l	#1,%d0
	rts
	.size	find_byte,.-find_byte

	.globl	common_bytes
	.type	common_bytes,@function
common_bytes:	| u32 common_bytes(const u8 *left, const u8 *right, u32 count), count 0..65535
	move.l	4(%sp),%a0
	move.l	8(%sp),%a1
	move.l	12(%sp),%d0
	cmp.l	%d0,%d0			| equal, for the first DBNE
	bra.s	.Lcommon_next
.Lcommon:
	cmpm.b	(%a0)+,(%a1)+
.Lcommon_next:
	dbne	%d0,.Lcommon
	beq.s	.Lall
	subq.l	#1,%a0			| behind the first that differs; flags stay
.Lall:
	move.l	%a0,%d0
	sub.l	4(%sp),%d0
	rts
	.size	common_bytes,.-common_bytes

	.globl	add_decimal
	.type	add_decimal,@function
add_decimal:	| u32 add_decimal(u8 *to, const u8 *from, u32 count), count 1..65536
	move.l	4(%sp),%a0
	move.l	8(%sp),%a1
	move.l	12(%sp),%d0
	add.l	%d0,%a0
	add.l	%d0,%a1
	subq.w	#1,%d0
	move.w	#0,%ccr			| no carry
.Ladd:
	abcd	-(%a1),-(%a0)
	dbf	%d0,.Ladd		| flags stay
	moveq	#0,%d0			| X stays
	addx.l	%d0,%d0
	rts
	.size	add_decimal,.-add_decimal

	.globl	rotate_wide
	.type	rotate_wide,@function
rotate_wide:	| u32 rotate_wide(u32 *pair, u32 count), count 1..65536
	move.l	%d2,-(%sp)
	move.l	8(%sp),%a0
	move.l	12(%sp),%d0
	movem.l	(%a0),%d1-%d2
	subq.w	#1,%d0
	move.w	#0,%ccr
.Lrotate:
	roxl.l	#1,%d2
	roxl.l	#1,%d1
	dbf	%d0,.Lrotate
	movem.l	%d1-%d2,(%a0)
	moveq	#0,%d0
	addx.l	%d0,%d0
	move.l	(%sp)+,%d2
	rts
	.size	rotate_wide,.-rotate_wide
