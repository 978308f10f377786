/* The idioms of the x86, flat 32-bit mode. C keeps ebx, esi, edi, ebp, and wants the direction flag clear. */
	.intel_syntax noprefix
	.text

	.globl	copy_blocks
	.type	copy_blocks,@function
copy_blocks:				/* void copy_blocks(u32 *to, const u32 *from, u32 blocks) */
	push	esi
	push	edi
	mov	edi,[esp+12]
	mov	esi,[esp+16]
	mov	ecx,[esp+20]
	shl	ecx,3
	rep movsd
	pop	edi
	pop	esi
	ret
	.size	copy_blocks,.-copy_blocks

	.globl	fill_words
	.type	fill_words,@function
fill_words:				/* void fill_words(u32 *to, u32 word, u32 count) */
	push	edi
	mov	edi,[esp+8]
	mov	eax,[esp+12]
	mov	ecx,[esp+16]
	rep stosd
	pop	edi
	ret
	.size	fill_words,.-fill_words

	.globl	find_byte
	.type	find_byte,@function
find_byte:				/* u32 find_byte(const u8 *bytes, u32 count, u32 wanted), count 1 or more */
	push	edi
	mov	edi,[esp+8]
	mov	ecx,[esp+12]
	mov	eax,[esp+16]
	mov	edx,ecx
	repne scasb
	jne	1f
	inc	ecx
1:	sub	edx,ecx
	mov	eax,edx
	pop	edi
	ret
	.size	find_byte,.-find_byte

	.globl	common_bytes
	.type	common_bytes,@function
common_bytes:				/* u32 common_bytes(const u8 *left, const u8 *right, u32 count) */
	push	esi
	push	edi
	mov	esi,[esp+12]
	mov	edi,[esp+16]
	mov	ecx,[esp+20]
	mov	eax,ecx
	cmp	eax,eax			/* equal, for a count of 0 */
	repe cmpsb
	je	1f
	inc	ecx
1:	sub	eax,ecx
	pop	edi
	pop	esi
	ret
	.size	common_bytes,.-common_bytes

	.globl	add_decimal
	.type	add_decimal,@function
add_decimal:				/* u32 add_decimal(u8 *to, const u8 *from, u32 count), count 1 or more */
	push	esi
	push	edi
	mov	edi,[esp+12]
	mov	esi,[esp+16]
	mov	ecx,[esp+20]
	lea	edi,[edi+ecx-1]
	lea	esi,[esi+ecx-1]
	clc
1:	mov	al,[edi]
	adc	al,[esi]
	daa
	mov	[edi],al
	dec	esi			/* DEC leaves the carry alone */
	dec	edi
	dec	ecx
	jnz	1b
	setc	cl
	movzx	eax,cl
	pop	edi
	pop	esi
	ret
	.size	add_decimal,.-add_decimal

	.globl	rotate_wide
	.type	rotate_wide,@function
rotate_wide:				/* u32 rotate_wide(u32 *pair, u32 count), count 1 or more */
	push	ebx
	mov	ebx,[esp+8]
	mov	ecx,[esp+12]
	mov	edx,[ebx]
	mov	eax,[ebx+4]
	clc
1:	rcl	eax,1
	rcl	edx,1
	dec	ecx
	jnz	1b
	mov	[ebx],edx
	mov	[ebx+4],eax
	setc	cl
	movzx	eax,cl
	pop	ebx
	ret
	.size	rotate_wide,.-rotate_wide
