/* Start-up and services of the x86 images, flat 32-bit mode. The machine has set the stack pointer. */

	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	movl	$__bss_start,%edi	/* everything without an initial value is 0 */
	movl	$_end,%ecx
	subl	%edi,%ecx
	shrl	$2,%ecx
	xorl	%eax,%eax
	cld
	rep stosl
	call	Main
.Lexit:
	int	$0x62			/* status in eax */
	jmp	.Lexit
	.size	_start,.-_start

	.text
	.globl	YieldFrame
	.type	YieldFrame,@function
YieldFrame:				/* void YieldFrame(void) */
	int	$0x60
	ret
	.size	YieldFrame,.-YieldFrame

	.globl	Microseconds
	.type	Microseconds,@function
Microseconds:				/* void Microseconds(struct wide *now): eax low, edx high half */
	int	$0x61
	movl	4(%esp),%ecx
	movl	%edx,(%ecx)
	movl	%eax,4(%ecx)
	ret
	.size	Microseconds,.-Microseconds
