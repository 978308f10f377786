/* Start-up and services of the x86 images, flat 32-bit mode. The machine has set the stack pointer. */
	.intel_syntax noprefix
	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	mov	edi,offset __bss_start	/* everything without an initial value is 0 */
	mov	ecx,offset _end
	sub	ecx,edi
	shr	ecx,2
	xor	eax,eax
	cld
	rep stosd
	call	Main
.Lexit:
	int	0x62			/* status in eax */
	jmp	.Lexit
	.size	_start,.-_start

	.text
	.globl	YieldFrame
	.type	YieldFrame,@function
YieldFrame:				/* void YieldFrame(void) */
	int	0x60
	ret
	.size	YieldFrame,.-YieldFrame

	.globl	Microseconds
	.type	Microseconds,@function
Microseconds:				/* void Microseconds(struct wide *now): eax low, edx high half */
	int	0x61
	mov	ecx,[esp+4]
	mov	[ecx],edx
	mov	[ecx+4],eax
	ret
	.size	Microseconds,.-Microseconds
