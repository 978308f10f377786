/* The routine as a Macintosh C++ compiler of 1994 without optimiser would have compiled it: translated by hand, statement
   by statement, by the rules below. They were fixed before any clock of it was counted; rom.toml names their sources.

    1  Every function keeps a frame: LINK A6, UNLK A6. Arguments are pushed as long words from right to left, the caller
       removes them, results are in D0. (Words for `short` arguments, as other compilers had them, would concern four
       calls of a check.)
    2  Locals live in the frame; `register` is honoured: D7, D6, A4, saved by the function.
    3  Globals are reached from A5 and functions of the segment from PC, both with 16 bits: code had no fixed address.
       Here the base is 0, so that offsets are addresses.
    4  Every operator is compiled by itself: operands are loaded anew, short ones are extended, nothing is kept from one
       expression to the next, no test is saved because the flags are already right. Constants are folded.
    5  An index is multiplied by the size: a power of two by shifting, else MULS.W if it is short and MULS.L if it is
       long. A difference of pointers is divided by the size: DIVS.L.
    6  Loops jump to their test, which stands behind the body. `return` jumps to the end.
    7  ++ works in memory; comparisons with constants take the width of the variable.
    8  The library's memset stores bytes; it is optimised, as libraries were.

   PERIOD_CALLS  Abs and IntersectQ are called. Otherwise they are macros, as the source of 1994 has them for the two
                 compilers that it names because they did not inline.
   PERIOD_68000  Only instructions of the 68000: long multiplication and division are calls to the library.
   PERIOD_REGISTERS  With PERIOD_68000, and these rules for 2 and 5: locals and arguments live in D7 and A4 and down,
                 two that are not needed at once in one, saved by the function; an index into an array of known size is
                 multiplied by MULS.W. guide/facts/compilers_1994.md names the sources.                                */

#define OBJ_X		0
#define OBJ_Y		2
#define OBJ_SECTOR_LINK	4
#define OBJ_OBJ_LINK	8
#define OBJ_SIZE	12
#define MAX_OBJECTS	200
#define OBJECT_SIDE	30
#define SECTOR_SHIFT	6
#define HALF_SECTOR	32
#define SECTOR_COLUMNS	11
#define SECTOR_ROWS	9

/* Where the variables of the functions are; POINTER(x) is the register that x is in, once load_pointer has been there. */
#ifdef PERIOD_REGISTERS
#define HEAD		%a4
#define EACH		%a4
#define SECTOR		%a3
#define I		%d5
#define COLUMN		%d7
#define ROW		%d6
#define HALF		%d7
#define LIST		%a4
#define ONE		%a4
#define OTHER		%a3
#define POINTER(x)	x
#else
#define HEAD		-4(%fp)
#define EACH		-10(%fp)
#define SECTOR		%a4
#define I		-6(%fp)
#define COLUMN		-2(%fp)
#define ROW		-4(%fp)
#define HALF		-2(%fp)
#define LIST		8(%fp)
#define ONE		-4(%fp)
#define OTHER		-8(%fp)
#define POINTER(x)	%a0
#endif

	.macro	load_pointer variable
#ifndef PERIOD_REGISTERS
	move.l	\variable,%a0
#endif
	.endm

	.macro	test_pointer variable		| TST of an address register is an instruction of the 68020
#ifdef PERIOD_REGISTERS
	move.l	\variable,%d0
#else
	tst.l	\variable
#endif
	.endm

	.macro	enter locals, registers		| what lies in the frame, what is saved if it does not
#ifdef PERIOD_REGISTERS
	link.w	%fp,#0
	movem.l	\registers,-(%sp)
#else
	link.w	%fp,#-\locals
#endif
	.endm

	.macro	leave registers
#ifdef PERIOD_REGISTERS
	movem.l	(%sp)+,\registers
#endif
	unlk	%fp
	rts
	.endm

	.macro	function name
	.globl	\name
	.type	\name,@function
\name:
	.endm

	.macro	address global, register	| the address of a global
	lea	(\global:w,%a5),\register
	.endm

	.macro	multiply_index factor		| d0 * factor
#ifdef PERIOD_REGISTERS
	muls.w	#\factor,%d0
#elif defined PERIOD_68000
	moveq	#\factor,%d1
	jsr	(LongMultiply:w,%pc)
#else
	muls.l	#\factor,%d0
#endif
	.endm

	.macro	divide_long divisor		| d0 / divisor
#ifdef PERIOD_68000
	moveq	#\divisor,%d1
	jsr	(LongDivide:w,%pc)
#else
	divs.l	#\divisor,%d0
#endif
	.endm

	.text

	function GetMyFirstObject		| obj *GetMyFirstObject(void)
	link.w	%fp,#0
	address	gObjects,%a0			| return &gObjects[0];
	move.l	%a0,%d0
	unlk	%fp
	rts
	.size	GetMyFirstObject,.-GetMyFirstObject

	function UpdateSectors			| void UpdateSectors(register scalar xoff, register scalar yoff)
#ifdef PERIOD_REGISTERS
	enter	0, %d5-%d7/%a3-%a4
#else
	link.w	%fp,#-10			| `register` is honoured
	movem.l	%d6-%d7/%a4,-(%sp)
#endif
	move.w	10(%fp),%d7			| xoff
	move.w	14(%fp),%d6			| yoff
	address	gSectorArray,%a0		| obj **head = (obj **)gSectorArray;
	move.l	%a0,HEAD
	clr.w	I				| for (i = 0; i < kSectors; i++)
	jra	2f
1:	move.l	HEAD,%a0			|     *head++ = 0;
	addq.l	#4,HEAD
	clr.l	(%a0)
	addq.w	#1,I
2:	cmp.w	#SECTOR_COLUMNS*SECTOR_ROWS,I
	jlt	1b
	jsr	(GetMyFirstObject:w,%pc)		| for (each = GetMyFirstObject(); each != 0; each = each->obj_link) {
	move.l	%d0,EACH
	jra	4f
3:	load_pointer EACH			|     register obj **sector = &gSectorArray[(each->x + xoff) >> kSectorShift]
	move.w	OBJ_X(POINTER(EACH)),%d0
	ext.l	%d0
	move.w	%d7,%d1
	ext.l	%d1
	add.l	%d1,%d0
	asr.l	#SECTOR_SHIFT,%d0
	multiply_index 4*SECTOR_ROWS
	address	gSectorArray,%a1
	add.l	%d0,%a1
	load_pointer EACH			|                                            [(each->y + yoff) >> kSectorShift];
	move.w	OBJ_Y(POINTER(EACH)),%d0
	ext.l	%d0
	move.w	%d6,%d1
	ext.l	%d1
	add.l	%d1,%d0
	asr.l	#SECTOR_SHIFT,%d0
	asl.l	#2,%d0
	add.l	%d0,%a1
	move.l	%a1,SECTOR
	load_pointer EACH			|     each->sector_link = *sector;
	move.l	(SECTOR),OBJ_SECTOR_LINK(POINTER(EACH))
	move.l	EACH,(SECTOR)			|     *sector = each;
	load_pointer EACH			| }
	move.l	OBJ_OBJ_LINK(POINTER(EACH)),EACH
4:	test_pointer EACH
	jne	3b
#ifdef PERIOD_REGISTERS
	leave	%d5-%d7/%a3-%a4
#else
	movem.l	(%sp)+,%d6-%d7/%a4
	leave
#endif
	.size	UpdateSectors,.-UpdateSectors

	function ClearCollisionArray		| void ClearCollisionArray(void)
	link.w	%fp,#0
	pea	MAX_OBJECTS.w			| memset(gCollisionArray, 0, sizeof gCollisionArray);
	clr.l	-(%sp)
	pea	(gCollisionArray:w,%a5)
	jsr	(memset:w,%pc)
	lea	12(%sp),%sp
	unlk	%fp
	rts
	.size	ClearCollisionArray,.-ClearCollisionArray

	function UpdateCollisionArray		| void UpdateCollisionArray(void)
	enter	4, %d6-%d7
	clr.w	COLUMN				| for (column = 0; column < kSectorColumns; column++)
	jra	4f
1:	clr.w	ROW				|     for (row = 0; row < kSectorRows; row++)
	jra	3f
2:	move.w	COLUMN,%d0			|         CalcCollisionsInSector(gSectorArray[column][row]);
	muls.w	#4*SECTOR_ROWS,%d0
	address	gSectorArray,%a0
	add.l	%d0,%a0
	move.w	ROW,%d0
	ext.l	%d0
	asl.l	#2,%d0
	add.l	%d0,%a0
	move.l	(%a0),-(%sp)
	jsr	(CalcCollisionsInSector:w,%pc)
	addq.l	#4,%sp
	addq.w	#1,ROW
3:	cmp.w	#SECTOR_ROWS,ROW
	jlt	2b
	addq.w	#1,COLUMN
4:	cmp.w	#SECTOR_COLUMNS,COLUMN
	jlt	1b
	leave	%d6-%d7
	.size	UpdateCollisionArray,.-UpdateCollisionArray

	.macro	push_zero
	clr.l	-(%sp)
	.endm

	.macro	push_half
	move.w	HALF,%d0
	ext.l	%d0
	move.l	%d0,-(%sp)
	.endm

	.macro	pass xoff, yoff			| UpdateSectors(xoff, yoff); UpdateCollisionArray();
	push_\yoff
	push_\xoff
	jsr	(UpdateSectors:w,%pc)
	addq.l	#8,%sp
	jsr	(UpdateCollisionArray:w,%pc)
	.endm

	function DetermineCollisions		| void DetermineCollisions(void)
	sub.l	%a5,%a5				| the base of the globals, which the Macintosh sets once
	enter	2, %d7
	jsr	(ClearCollisionArray:w,%pc)	| ClearCollisionArray();
	move.w	#HALF_SECTOR,HALF		| half = kSectorSide / 2;
	pass	zero, zero
	pass	zero, half
	pass	half, zero
	pass	half, half
	leave	%d7
	.size	DetermineCollisions,.-DetermineCollisions

	.macro	difference field, a, b		| a->field - b->field
	load_pointer \a
	move.w	\field(POINTER(\a)),%d0
	ext.l	%d0
	load_pointer \b
	move.w	\field(POINTER(\b)),%d1
	ext.l	%d1
	sub.l	%d1,%d0
	.endm

#ifdef PERIOD_CALLS

	.macro	unless_near field, a, b, to	| if (!(Abs(a->field - b->field) < kObjectSide)) goto to;
	difference \field, \a, \b
	ext.l	%d0				| to `scalar`
	move.l	%d0,-(%sp)
	jsr	(Abs:w,%pc)
	addq.l	#4,%sp
	cmp.w	#OBJECT_SIDE,%d0
	jge	\to
	.endm

	function Abs				| scalar Abs(scalar a)
	link.w	%fp,#0
	tst.w	10(%fp)				| return a < 0 ? -a : a;
	jge	1f
	move.w	10(%fp),%d0
	ext.l	%d0
	neg.l	%d0
	jra	2f
1:	move.w	10(%fp),%d0
	ext.l	%d0
2:	unlk	%fp
	rts
	.size	Abs,.-Abs

	function IntersectQ			| scalar IntersectQ(obj *a, obj *b)
	link.w	%fp,#0
	unless_near OBJ_X, 8(%fp), 12(%fp), 1f		| return Abs(a->x - b->x) < kObjectSide && Abs(a->y - b->y) < kObjectSide;
	unless_near OBJ_Y, 8(%fp), 12(%fp), 1f
	moveq	#1,%d0
	jra	2f
1:	moveq	#0,%d0
2:	unlk	%fp
	rts
	.size	IntersectQ,.-IntersectQ

	.macro	unless_overlap a, b, to		| if (!IntersectQ(a, b)) goto to;
	move.l	\b,-(%sp)
	move.l	\a,-(%sp)
	jsr	(IntersectQ:w,%pc)
	addq.l	#8,%sp
	tst.w	%d0
	jeq	\to
	.endm

#else

	.macro	unless_near field, a, b, to	| if (!(((difference) < 0 ? -(difference) : (difference)) < kObjectSide)) goto to;
	difference \field, \a, \b
	tst.l	%d0
	jge	1f
	difference \field, \a, \b
	neg.l	%d0
	jra	2f
1:	difference \field, \a, \b
2:	cmp.l	#OBJECT_SIDE,%d0
	jge	\to
	.endm

	.macro	unless_overlap a, b, to
	unless_near OBJ_X, \a, \b, \to
	unless_near OBJ_Y, \a, \b, \to
	.endm

#endif

	.macro	flag_address object, register	| &gCollisionArray[object - gObjects]
	move.l	\object,%d0
	address	gObjects,%a0
	sub.l	%a0,%d0
	divide_long OBJ_SIZE
	address	gCollisionArray,\register
	add.l	%d0,\register
	.endm

	function CalcCollisionsInSector		| void CalcCollisionsInSector(obj *list)
	enter	8, %a3-%a4
#ifdef PERIOD_REGISTERS
	move.l	8(%fp),LIST
#endif
	test_pointer LIST			| if (list == 0 || list->sector_link == 0)
	jeq	1f
	load_pointer LIST
	tst.l	OBJ_SECTOR_LINK(POINTER(LIST))
	jne	3f
1:	jra	9f				|     return;
3:
#ifndef PERIOD_REGISTERS
	move.l	LIST,ONE			| for (one = list; one->sector_link; one = one->sector_link)
#endif
	jra	8f
4:	load_pointer ONE			|     for (other = one->sector_link; other; other = other->sector_link)
	move.l	OBJ_SECTOR_LINK(POINTER(ONE)),OTHER
	jra	7f
5:	unless_overlap ONE, OTHER, 6f		|         if (Overlap(one, other))
	flag_address OTHER, %a1			|             gCollisionArray[one - gObjects] = gCollisionArray[other - gObjects] = 1;
	move.b	#1,(%a1)
	flag_address ONE, %a1
	move.b	#1,(%a1)
6:	load_pointer OTHER
	move.l	OBJ_SECTOR_LINK(POINTER(OTHER)),OTHER
7:	test_pointer OTHER
	jne	5b
	load_pointer ONE
	move.l	OBJ_SECTOR_LINK(POINTER(ONE)),ONE
8:	load_pointer ONE
	tst.l	OBJ_SECTOR_LINK(POINTER(ONE))
	jne	4b
9:	leave	%a3-%a4
	.size	CalcCollisionsInSector,.-CalcCollisionsInSector

#include "sectors_period_library.S"

	.bss
	.globl	gSectorArray
	.type	gSectorArray,@object
	.align	4
gSectorArray:
	.space	4*SECTOR_COLUMNS*SECTOR_ROWS
	.size	gSectorArray,.-gSectorArray

	.globl	gCollisionArray
	.type	gCollisionArray,@object
gCollisionArray:
	.space	MAX_OBJECTS
	.size	gCollisionArray,.-gCollisionArray
