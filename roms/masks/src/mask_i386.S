/* The test of Mackey 1995 for sprites of up to 32 pixels, flat 32-bit mode: MOV, SHL and AND for each row. */

	.text
	.globl	mask_touch
	.type	mask_touch,@function
mask_touch:	/* int mask_touch(const unsigned long *left_rows, const unsigned long *right_rows, int rows, int shift) */
		/* shift 0..31; 1 if a pixel is in common, else 0 */
	pushl	%esi
	pushl	%edi
	movl	12(%esp),%esi
	movl	16(%esp),%edi
	movl	20(%esp),%edx
	movl	24(%esp),%ecx
	xorl	%eax,%eax
	testl	%edx,%edx
	jle	.Ldone
	leal	(%esi,%edx,4),%esi	/* the ends: the index goes from -rows to 0 */
	leal	(%edi,%edx,4),%edi
	negl	%edx
.Lrow:
	movl	(%esi,%edx,4),%eax
	shll	%cl,%eax
	andl	(%edi,%edx,4),%eax
	jnz	.Lfound
	incl	%edx
	jnz	.Lrow
.Ldone:					/* eax is 0 */
	popl	%edi
	popl	%esi
	ret
.Lfound:
	movl	$1,%eax
	jmp	.Ldone
	.size	mask_touch,.-mask_touch
