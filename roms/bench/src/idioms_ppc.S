# The idioms of the PowerPC. C keeps r14-r31.

	.text
	.globl	copy_blocks
	.type	copy_blocks,@function
copy_blocks:	# void copy_blocks(u32 *to, const u32 *from, u32 blocks)
	stwu	1,-48(1)
	stmw	24,16(1)
	cmpwi	5,0
	mtctr	5
	beq	2f
1:	lmw	24,0(4)			# eight registers
	stmw	24,0(3)
	addi	4,4,32
	addi	3,3,32
	bdnz	1b
2:	lmw	24,16(1)
	addi	1,1,48
	blr
	.size	copy_blocks,.-copy_blocks

	.globl	fill_words
	.type	fill_words,@function
fill_words:	# void fill_words(u32 *to, u32 word, u32 count)
	cmpwi	5,0
	beqlr
	mtctr	5
	addi	3,3,-4
1:	stwu	4,4(3)
	bdnz	1b
	blr
	.size	fill_words,.-fill_words

	.globl	find_byte
	.type	find_byte,@function
find_byte:	# u32 find_byte(const u8 *bytes, u32 count, u32 wanted), count 1 or more
	mtctr	4
	addi	6,3,-1
1:	lbzu	0,1(6)
	cmpw	0,5
	bdnzf	2,1b			# until one is equal or all are done
	sub	6,6,3
	beq	2f
	addi	6,6,1
2:	mr	3,6
	blr
	.size	find_byte,.-find_byte

	.globl	common_bytes
	.type	common_bytes,@function
common_bytes:	# u32 common_bytes(const u8 *left, const u8 *right, u32 count)
	cmpwi	5,0
	mtctr	5
	addi	6,3,-1
	addi	4,4,-1
	beq	2f
1:	lbzu	0,1(6)
	lbzu	7,1(4)
	cmpw	0,7
	bdnzt	2,1b			# until one differs or all are done
	bne	3f
2:	mr	3,5
	blr
3:	sub	3,6,3
	blr
	.size	common_bytes,.-common_bytes

# There is no decimal instruction. 66 is added, so that a digit above 9 has a carry; 6 is taken off again where none was.
	.globl	add_decimal
	.type	add_decimal,@function
add_decimal:	# u32 add_decimal(u8 *to, const u8 *from, u32 count), count 1 or more
	mtctr	5
	add	3,3,5
	add	4,4,5
	li	5,0			# carry
1:	lbzu	6,-1(3)
	lbzu	7,-1(4)
	addi	6,6,0x66
	xor	9,6,7			# the sum as it were without carries
	add	8,6,7
	add	8,8,5
	xor	9,9,8			# bits that a carry came into
	not	9,9
	andi.	9,9,0x110		# digits that none came out of
	srwi	10,9,2
	srwi	9,9,3
	or	9,9,10			# 6 for each
	sub	8,8,9
	stb	8,0(3)
	rlwinm	5,8,24,31,31		# bit 8: the carry
	bdnz	1b
	mr	3,5
	blr
	.size	add_decimal,.-add_decimal

	.globl	rotate_wide
	.type	rotate_wide,@function
rotate_wide:	# u32 rotate_wide(u32 *pair, u32 count), count 1 or more
	mtctr	4
	lwz	5,0(3)
	lwz	6,4(3)
	li	0,0
	addic	0,0,0			# no carry
1:	adde	6,6,6
	adde	5,5,5
	bdnz	1b			# the carry stays
	stw	5,0(3)
	stw	6,4(3)
	li	3,0
	addze	3,3
	blr
	.size	rotate_wide,.-rotate_wide
