# The test of Mackey 1995 for sprites of up to 32 pixels: slw and and. for each row.

	.text
	.globl	mask_touch
	.type	mask_touch,@function
mask_touch:	# int mask_touch(const unsigned long *left_rows, const unsigned long *right_rows, int rows, int shift)
		# shift 0..31; 1 if a pixel is in common, else 0
	cmpwi	5,0
	ble	.Lnone
	mtctr	5
	addi	3,3,-4
	addi	4,4,-4
.Lrow:
	lwzu	7,4(3)
	lwzu	8,4(4)
	slw	7,7,6
	and.	7,7,8
	bdnzt	eq,.Lrow		# the next one, unless a pixel is in common
	beq	.Lnone
	li	3,1
	blr
.Lnone:
	li	3,0
	blr
	.size	mask_touch,.-mask_touch
