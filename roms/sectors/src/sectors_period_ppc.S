/* The routine as a Macintosh C++ compiler of 1994 for PowerPC would have compiled it with registers for variables, and no
   other optimisation: translated by hand, statement by statement, by the rules below. They were fixed before any clock of
   it was counted; rom.toml names their sources.

    1  Variables and intermediate results live in registers, given out over the whole function: r3 to r12 what no call
       outlives, r31 and down the rest. A copy between two that are not needed together is no instruction.
    2  A function that calls has a frame: LR at 8(r1), saved registers below r1, a linkage area of 24 bytes and one of 32
       for arguments; three registers or more are saved by stmw. One that calls nothing has none. `return` goes to the end.
    3  Globals: the address of each stands in the TOC, to which r2 points, and is loaded at every use.
    4  Functions of the file that are static are called by bl; behind a call of another one the linker finds a nop, for
       the case that it lies in another fragment.
    5  Every operator is compiled by itself: operands are loaded anew, nothing is kept from one expression to the next, no
       test is saved because a result has set the condition already, no instruction is moved. Constants are folded.
    6  An index is multiplied by the size: a power of two by shifting, else MULLI. A difference of pointers is divided by
       the size: a power of two by SRAWI and ADDZE.
    7  Loops jump to their test, which stands behind the body. Branches give no hint. x++ as a value is a copy, then an addition.
    8  The memset of the library stores bytes; it is optimised, as libraries were.

   PERIOD_CALLS  Abs and IntersectQ are called. Otherwise they are macros, as the source of 1994 has them for the two
                 compilers that it names because they did not inline.
   PERIOD_DIVIDE A difference of pointers is divided by DIVW, whatever the size. This was not fixed beforehand.
   PERIOD_LEVEL0 Instead of rule 1 for variables: each has a saved register of its own, from r31 down, except the argument of
                 a function that calls nothing, which stores below r1. guide/facts/compilers_1994.md names the sources. */

#define OBJ_X		0
#define OBJ_Y		4
#define OBJ_SECTOR_LINK	8
#define OBJ_OBJ_LINK	12
#define OBJ_SIZE_LOG2	4
#define MAX_OBJECTS	200
#define OBJECT_SIDE	30
#define SECTOR_SHIFT	6
#define HALF_SECTOR	32
#define SECTOR_COLUMNS	11
#define SECTOR_ROWS	9
#define LINKAGE		56

/* Where the variables of UpdateSectors are; `each` comes in r3. */
#ifdef PERIOD_LEVEL0
#define SAVED		6
#define HEAD		29
#define I		28
#define EACH		27
#define SECTOR		26
#else
#define SAVED		2
#define HEAD		3
#define I		4
#define EACH		3
#define SECTOR		4
#endif

	.macro	function name
	.globl	\name
	.type	\name,@function
\name:
	.endm

	.macro	enter saved		# the frame of a function that calls and saves as many registers
	mflr	0
	.if	\saved >= 3
	stmw	32-\saved,-4*\saved(1)
	.else
	.if	\saved >= 1
	stw	31,-4(1)
	.endif
	.if	\saved >= 2
	stw	30,-8(1)
	.endif
	.endif
	stw	0,8(1)
	stwu	1,-((LINKAGE+4*\saved+7) & -8)(1)
	.endm

	.macro	restore saved
	lwz	0,((LINKAGE+4*\saved+7) & -8)+8(1)
	addi	1,1,(LINKAGE+4*\saved+7) & -8
	mtlr	0
	.if	\saved >= 3
	lmw	32-\saved,-4*\saved(1)
	.else
	.if	\saved >= 1
	lwz	31,-4(1)
	.endif
	.if	\saved >= 2
	lwz	30,-8(1)
	.endif
	.endif
	.endm

	.macro	leave saved
	restore	\saved
	blr
	.endm

	.macro	address global, register	# of a global, from the TOC
	lwz	\register,TOC_\global-TOC(2)
	.endm

	.macro	call name			# a function that is not static
	bl	\name
	nop
	.endm

	.text

	function GetMyFirstObject		# obj *GetMyFirstObject(void)
	address	gObjects,3			# return &gObjects[0];
	blr
	.size	GetMyFirstObject,.-GetMyFirstObject

	function UpdateSectors			# void UpdateSectors(register scalar xoff, register scalar yoff): r30, r31
	enter	SAVED
	mr	30,3
	mr	31,4
	address	gSectorArray,HEAD		# obj **head = (obj **)gSectorArray;
	li	I,0				# for (i = 0; i < kSectors; i++)
	b	2f
1:	mr	5,HEAD				#     *head++ = 0;
	addi	HEAD,HEAD,4
	li	0,0
	stw	0,0(5)
	addi	I,I,1
2:	cmpwi	I,SECTOR_COLUMNS*SECTOR_ROWS
	blt	1b
	call	GetMyFirstObject		# for (each = GetMyFirstObject(); each != 0; each = each->obj_link) {
	.if	EACH != 3
	mr	EACH,3
	.endif
	b	4f
3:	lwz	0,OBJ_X(EACH)			#     register obj **sector = &gSectorArray[(each->x + xoff) >> kSectorShift]
	add	0,0,30
	srawi	0,0,SECTOR_SHIFT
	mulli	0,0,4*SECTOR_ROWS
	address	gSectorArray,4
	add	4,4,0
	lwz	0,OBJ_Y(EACH)			#                                            [(each->y + yoff) >> kSectorShift];
	add	0,0,31
	srawi	0,0,SECTOR_SHIFT
	slwi	0,0,2
	add	SECTOR,4,0
	lwz	0,0(SECTOR)			#     each->sector_link = *sector;
	stw	0,OBJ_SECTOR_LINK(EACH)
	stw	EACH,0(SECTOR)			#     *sector = each;
	lwz	EACH,OBJ_OBJ_LINK(EACH)		# }
4:	cmplwi	EACH,0
	bne	3b
	leave	SAVED
	.size	UpdateSectors,.-UpdateSectors

	function ClearCollisionArray		# void ClearCollisionArray(void)
	enter	0
	address	gCollisionArray,3		# memset(gCollisionArray, 0, sizeof gCollisionArray);
	li	4,0
	li	5,MAX_OBJECTS
	call	memset
	leave	0
	.size	ClearCollisionArray,.-ClearCollisionArray

	function UpdateCollisionArray		# void UpdateCollisionArray(void): column r31, row r30
	enter	2
	li	31,0				# for (column = 0; column < kSectorColumns; column++)
	b	4f
1:	li	30,0				#     for (row = 0; row < kSectorRows; row++)
	b	3f
2:	mulli	0,31,4*SECTOR_ROWS		#         CalcCollisionsInSector(gSectorArray[column][row]);
	address	gSectorArray,3
	add	3,3,0
	slwi	0,30,2
	lwzx	3,3,0
	bl	CalcCollisionsInSector
	addi	30,30,1
3:	cmpwi	30,SECTOR_ROWS
	blt	2b
	addi	31,31,1
4:	cmpwi	31,SECTOR_COLUMNS
	blt	1b
	leave	2
	.size	UpdateCollisionArray,.-UpdateCollisionArray

	.macro	pass_zero register
	li	\register,0
	.endm

	.macro	pass_half register
	mr	\register,31
	.endm

	.macro	pass xoff, yoff			# UpdateSectors(xoff, yoff); UpdateCollisionArray();
	pass_\xoff 3
	pass_\yoff 4
	bl	UpdateSectors
	bl	UpdateCollisionArray
	.endm

	function DetermineCollisions		# void DetermineCollisions(void): half r31
	stwu	1,-LINKAGE(1)			# callers of the Macintosh leave room for what is stored at 8(r1), this one does not
	lis	2,TOC@ha			# the base of the TOC, which the Macintosh sets once
	addi	2,2,TOC@l
	enter	1
	bl	ClearCollisionArray		# ClearCollisionArray();
	li	31,HALF_SECTOR			# half = kSectorSide / 2;
	pass	zero, zero
	pass	zero, half
	pass	half, zero
	pass	half, half
	restore	1
	addi	1,1,LINKAGE
	blr
	.size	DetermineCollisions,.-DetermineCollisions

	.macro	difference field, a, b, register	# a->field - b->field
	lwz	\register,\field(\a)
	lwz	0,\field(\b)
	subf	\register,0,\register
	.endm

#ifdef PERIOD_CALLS

#define ONE	31
#define OTHER	30

	.macro	unless_near field, a, b, to	# if (!(Abs(a->field - b->field) < kObjectSide)) goto to;
	difference \field, \a, \b, 3
	call	Abs
	cmpwi	3,OBJECT_SIDE
	bge	\to
	.endm

	function Abs				# scalar Abs(scalar a)
	cmpwi	3,0				# return a < 0 ? -a : a;
	bge	1f
	neg	3,3
	b	1f
1:	blr
	.size	Abs,.-Abs

	function IntersectQ			# scalar IntersectQ(obj *a, obj *b): r30, r31
	enter	2
	mr	30,3
	mr	31,4
	unless_near OBJ_X, 30, 31, 1f		# return Abs(a->x - b->x) < kObjectSide && Abs(a->y - b->y) < kObjectSide;
	unless_near OBJ_Y, 30, 31, 1f
	li	3,1
	b	2f
1:	li	3,0
2:	leave	2
	.size	IntersectQ,.-IntersectQ

	.macro	unless_overlap a, b, to		# if (!IntersectQ(a, b)) goto to;
	mr	3,\a
	mr	4,\b
	call	IntersectQ
	cmpwi	3,0
	beq	\to
	.endm

	.macro	begin				# the function calls
	enter	2
	.endm

	.macro	end
	leave	2
	.endm

#else

#ifdef PERIOD_LEVEL0
#define ONE	31
#define OTHER	30
#else
#define ONE	4
#define OTHER	5
#endif

	.macro	unless_near field, a, b, to	# if (!(((difference) < 0 ? -(difference) : (difference)) < kObjectSide)) goto to;
	difference \field, \a, \b, 6
	cmpwi	6,0
	bge	1f
	difference \field, \a, \b, 6
	neg	6,6
	b	2f
1:	difference \field, \a, \b, 6
2:	cmpwi	6,OBJECT_SIDE
	bge	\to
	.endm

	.macro	unless_overlap a, b, to
	unless_near OBJ_X, \a, \b, \to
	unless_near OBJ_Y, \a, \b, \to
	.endm

	.macro	begin
#ifdef PERIOD_LEVEL0
	stw	31,-4(1)
	stw	30,-8(1)
#endif
	.endm

	.macro	end
#ifdef PERIOD_LEVEL0
	lwz	31,-4(1)
	lwz	30,-8(1)
#endif
	blr
	.endm

#endif

	.macro	flag_address object, register	# &gCollisionArray[object - gObjects]
	address	gObjects,0
	subf	0,0,\object
#ifdef PERIOD_DIVIDE
	li	\register,1 << OBJ_SIZE_LOG2
	divw	0,0,\register
#else
	srawi	0,0,OBJ_SIZE_LOG2
	addze	0,0
#endif
	address	gCollisionArray,\register
	add	\register,\register,0
	.endm

	function CalcCollisionsInSector		# void CalcCollisionsInSector(obj *list)
	begin
	cmplwi	3,0				# if (list == 0 || list->sector_link == 0)
	beq	1f
	lwz	0,OBJ_SECTOR_LINK(3)
	cmplwi	0,0
	bne	3f
1:	b	9f				#     return;
3:	mr	ONE,3				# for (one = list; one->sector_link; one = one->sector_link)
	b	8f
4:	lwz	OTHER,OBJ_SECTOR_LINK(ONE)	#     for (other = one->sector_link; other; other = other->sector_link)
	b	7f
5:	unless_overlap ONE, OTHER, 6f		#         if (Overlap(one, other))
	li	7,1				#             gCollisionArray[one - gObjects] = gCollisionArray[other - gObjects] = 1;
	flag_address OTHER, 6
	stb	7,0(6)
	flag_address ONE, 6
	stb	7,0(6)
6:	lwz	OTHER,OBJ_SECTOR_LINK(OTHER)
7:	cmplwi	OTHER,0
	bne	5b
	lwz	ONE,OBJ_SECTOR_LINK(ONE)
8:	lwz	0,OBJ_SECTOR_LINK(ONE)
	cmplwi	0,0
	bne	4b
9:	end
	.size	CalcCollisionsInSector,.-CalcCollisionsInSector

	function memset				# void *memset(void *target, int value, unsigned long size)
	cmplwi	5,0
	beq	2f
	mtctr	5
	addi	6,3,-1
1:	stbu	4,1(6)
	bdnz	1b
2:	blr
	.size	memset,.-memset

	.data
	.align	2
TOC:
TOC_gObjects:
	.long	gObjects
TOC_gSectorArray:
	.long	gSectorArray
TOC_gCollisionArray:
	.long	gCollisionArray

	.bss
	.align	2
	.globl	gSectorArray
	.type	gSectorArray,@object
gSectorArray:
	.space	4*SECTOR_COLUMNS*SECTOR_ROWS
	.size	gSectorArray,.-gSectorArray
	.globl	gCollisionArray
	.type	gCollisionArray,@object
gCollisionArray:
	.space	MAX_OBJECTS
	.size	gCollisionArray,.-gCollisionArray
