# Start-up and services of the PowerPC images. The machine has set the stack pointer; services by number in r0.

	.section .text.start,"ax"
	.globl	_start
	.type	_start,@function
_start:
	lis	3,__bss_start@ha	# everything without an initial value is 0
	addi	3,3,__bss_start@l
	lis	4,_end@ha
	addi	4,4,_end@l
	subf	4,3,4
	srwi	4,4,2
	mtctr	4
	addi	3,3,-4
	li	0,0
.Lclear:
	stwu	0,4(3)
	bdnz	.Lclear
	bl	Main
.Lexit:
	li	0,2			# status in r3
	sc
	b	.Lexit
	.size	_start,.-_start

	.text
	.globl	YieldFrame
	.type	YieldFrame,@function
YieldFrame:				# void YieldFrame(void)
	li	0,0
	sc
	blr
	.size	YieldFrame,.-YieldFrame

	.globl	Microseconds
	.type	Microseconds,@function
Microseconds:				# void Microseconds(struct wide *now): r3 low, r4 high half
	mr	5,3
	li	0,1
	sc
	stw	4,0(5)
	stw	3,4(5)
	blr
	.size	Microseconds,.-Microseconds
