# Called by code that GCC optimises for size (-Os): r14 to r31 are saved and restored below an address in r11 (PowerPC
# Embedded ABI, chapter 3). Each name is where the registers from that one on are handled.

	.text
	.macro	saves	first, rest:vararg
	.globl	_savegpr_\first
_savegpr_\first:
	stw	\first,4*\first-128(11)
	.ifnb	\rest
	saves	\rest
	.endif
	.endm
	saves	14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	blr

	.macro	restores	first, rest:vararg
	.globl	_restgpr_\first
_restgpr_\first:
	lwz	\first,4*\first-128(11)
	.ifnb	\rest
	restores	\rest
	.endif
	.endm
	restores	14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	blr

	.macro	leaves	first, rest:vararg
	.globl	_restgpr_\first\()_x
_restgpr_\first\()_x:
	lwz	\first,4*\first-128(11)
	.ifnb	\rest
	leaves	\rest
	.endif
	.endm
	leaves	14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	lwz	0,4(11)			# and the return to the caller's caller
	mtlr	0
	mr	1,11
	blr
