/* The test of Mackey 1995 for sprites of up to 32 pixels, flat 32-bit mode: MOV, SHL and AND for each row. */
	.intel_syntax noprefix
	.text
	.globl	mask_touch
	.type	mask_touch,@function
mask_touch:	/* int mask_touch(const unsigned long *left_rows, const unsigned long *right_rows, int rows, int shift) */
		/* shift 0..31; 1 if a pixel is in common, else 0 */
	push	esi
	push	edi
	mov	esi,[esp+12]
	mov	edi,[esp+16]
	mov	edx,[esp+20]
	mov	ecx,[esp+24]
	xor	eax,eax
	test	edx,edx
	jle	.Ldone
	lea	esi,[esi+edx*4]	/* the ends: the index goes from -rows to 0 */
	lea	edi,[edi+edx*4]
	neg	edx
.Lrow:
	mov	eax,[esi+edx*4]
	shl	eax,cl
	and	eax,[edi+edx*4]
	jnz	.Lfound
	inc	edx
	jnz	.Lrow
.Ldone:					/* eax is 0 */
	pop	edi
	pop	esi
	ret
.Lfound:
	mov	eax,1
	jmp	.Ldone
	.size	mask_touch,.-mask_touch
