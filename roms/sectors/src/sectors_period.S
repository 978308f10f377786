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
   PERIOD_68000  Only instructions of the 68000: long multiplication and division are calls to the library.          */

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

	.macro	function name
	.globl	\name
	.type	\name,@function
\name:
	.endm

	.macro	address global, register	| the address of a global
	lea	(\global:w,%a5),\register
	.endm

	.macro	multiply_long factor		| d0 * factor
#ifdef PERIOD_68000
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
	link.w	%fp,#-10			| head -4, i -6, each -10
	movem.l	%d6-%d7/%a4,-(%sp)
	move.w	10(%fp),%d7			| xoff
	move.w	14(%fp),%d6			| yoff
	address	gSectorArray,%a0		| obj **head = (obj **)gSectorArray;
	move.l	%a0,-4(%fp)
	clr.w	-6(%fp)				| for (i = 0; i < kSectors; i++)
	jra	2f
1:	move.l	-4(%fp),%a0			|     *head++ = 0;
	addq.l	#4,-4(%fp)
	clr.l	(%a0)
	addq.w	#1,-6(%fp)
2:	cmp.w	#SECTOR_COLUMNS*SECTOR_ROWS,-6(%fp)
	jlt	1b
	jsr	(GetMyFirstObject:w,%pc)		| for (each = GetMyFirstObject(); each != 0; each = each->obj_link) {
	move.l	%d0,-10(%fp)
	jra	4f
3:	move.l	-10(%fp),%a0			|     register obj **sector = &gSectorArray[(each->x + xoff) >> kSectorShift]
	move.w	OBJ_X(%a0),%d0
	ext.l	%d0
	move.w	%d7,%d1
	ext.l	%d1
	add.l	%d1,%d0
	asr.l	#SECTOR_SHIFT,%d0
	multiply_long 4*SECTOR_ROWS
	address	gSectorArray,%a1
	add.l	%d0,%a1
	move.l	-10(%fp),%a0			|                                            [(each->y + yoff) >> kSectorShift];
	move.w	OBJ_Y(%a0),%d0
	ext.l	%d0
	move.w	%d6,%d1
	ext.l	%d1
	add.l	%d1,%d0
	asr.l	#SECTOR_SHIFT,%d0
	asl.l	#2,%d0
	add.l	%d0,%a1
	move.l	%a1,%a4
	move.l	-10(%fp),%a0			|     each->sector_link = *sector;
	move.l	(%a4),OBJ_SECTOR_LINK(%a0)
	move.l	-10(%fp),(%a4)			|     *sector = each;
	move.l	-10(%fp),%a0			| }
	move.l	OBJ_OBJ_LINK(%a0),-10(%fp)
4:	tst.l	-10(%fp)
	jne	3b
	movem.l	(%sp)+,%d6-%d7/%a4
	unlk	%fp
	rts
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
	link.w	%fp,#-4				| column -2, row -4
	clr.w	-2(%fp)				| for (column = 0; column < kSectorColumns; column++)
	jra	4f
1:	clr.w	-4(%fp)				|     for (row = 0; row < kSectorRows; row++)
	jra	3f
2:	move.w	-2(%fp),%d0			|         CalcCollisionsInSector(gSectorArray[column][row]);
	muls.w	#4*SECTOR_ROWS,%d0
	address	gSectorArray,%a0
	add.l	%d0,%a0
	move.w	-4(%fp),%d0
	ext.l	%d0
	asl.l	#2,%d0
	add.l	%d0,%a0
	move.l	(%a0),-(%sp)
	jsr	(CalcCollisionsInSector:w,%pc)
	addq.l	#4,%sp
	addq.w	#1,-4(%fp)
3:	cmp.w	#SECTOR_ROWS,-4(%fp)
	jlt	2b
	addq.w	#1,-2(%fp)
4:	cmp.w	#SECTOR_COLUMNS,-2(%fp)
	jlt	1b
	unlk	%fp
	rts
	.size	UpdateCollisionArray,.-UpdateCollisionArray

	.macro	push_zero
	clr.l	-(%sp)
	.endm

	.macro	push_half
	move.w	-2(%fp),%d0
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
	link.w	%fp,#-2				| half -2
	jsr	(ClearCollisionArray:w,%pc)	| ClearCollisionArray();
	move.w	#HALF_SECTOR,-2(%fp)		| half = kSectorSide / 2;
	pass	zero, zero
	pass	zero, half
	pass	half, zero
	pass	half, half
	unlk	%fp
	rts
	.size	DetermineCollisions,.-DetermineCollisions

	.macro	difference field, a, b		| a->field - b->field, where a and b lie in the frame
	move.l	\a(%fp),%a0
	move.w	\field(%a0),%d0
	ext.l	%d0
	move.l	\b(%fp),%a0
	move.w	\field(%a0),%d1
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
	unless_near OBJ_X, 8, 12, 1f		| return Abs(a->x - b->x) < kObjectSide && Abs(a->y - b->y) < kObjectSide;
	unless_near OBJ_Y, 8, 12, 1f
	moveq	#1,%d0
	jra	2f
1:	moveq	#0,%d0
2:	unlk	%fp
	rts
	.size	IntersectQ,.-IntersectQ

	.macro	unless_overlap a, b, to		| if (!IntersectQ(a, b)) goto to;
	move.l	\b(%fp),-(%sp)
	move.l	\a(%fp),-(%sp)
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
	move.l	\object(%fp),%d0
	address	gObjects,%a0
	sub.l	%a0,%d0
	divide_long OBJ_SIZE
	address	gCollisionArray,\register
	add.l	%d0,\register
	.endm

	function CalcCollisionsInSector		| void CalcCollisionsInSector(obj *list)
	link.w	%fp,#-8				| one -4, other -8
	tst.l	8(%fp)				| if (list == 0 || list->sector_link == 0)
	jeq	1f
	move.l	8(%fp),%a0
	tst.l	OBJ_SECTOR_LINK(%a0)
	jne	3f
1:	jra	9f				|     return;
3:	move.l	8(%fp),-4(%fp)			| for (one = list; one->sector_link; one = one->sector_link)
	jra	8f
4:	move.l	-4(%fp),%a0			|     for (other = one->sector_link; other; other = other->sector_link)
	move.l	OBJ_SECTOR_LINK(%a0),-8(%fp)
	jra	7f
5:	unless_overlap -4, -8, 6f		|         if (Overlap(one, other))
	flag_address -8, %a1			|             gCollisionArray[one - gObjects] = gCollisionArray[other - gObjects] = 1;
	move.b	#1,(%a1)
	flag_address -4, %a1
	move.b	#1,(%a1)
6:	move.l	-8(%fp),%a0
	move.l	OBJ_SECTOR_LINK(%a0),-8(%fp)
7:	tst.l	-8(%fp)
	jne	5b
	move.l	-4(%fp),%a0
	move.l	OBJ_SECTOR_LINK(%a0),-4(%fp)
8:	move.l	-4(%fp),%a0
	tst.l	OBJ_SECTOR_LINK(%a0)
	jne	4b
9:	unlk	%fp
	rts
	.size	CalcCollisionsInSector,.-CalcCollisionsInSector

	function memset				| void *memset(void *target, int value, unsigned long size)
	move.l	4(%sp),%a0
	move.l	8(%sp),%d0
	move.l	12(%sp),%d1
	jra	2f
1:	move.b	%d0,(%a0)+
2:	subq.l	#1,%d1
	jcc	1b
	move.l	4(%sp),%d0
	rts
	.size	memset,.-memset

#ifdef PERIOD_68000

	function LongMultiply			| d0 = d0 * d1; the low half
	move.l	%d2,-(%sp)
	move.l	%d0,%d2
	swap	%d2				| high word of d0 * low word of d1
	mulu.w	%d1,%d2
	move.l	%d3,-(%sp)
	move.l	%d1,%d3				| high word of d1 * low word of d0
	swap	%d3
	mulu.w	%d0,%d3
	add.w	%d3,%d2
	swap	%d2
	clr.w	%d2
	mulu.w	%d1,%d0				| low words
	add.l	%d2,%d0
	move.l	(%sp)+,%d3
	move.l	(%sp)+,%d2
	rts
	.size	LongMultiply,.-LongMultiply

	function LongDivide			| d0 = d0 / d1, towards zero; d1 is 1..65535
	move.l	%d2,-(%sp)
	tst.l	%d0
	smi	%d2
	jpl	1f
	neg.l	%d0
1:	move.w	%d2,-(%sp)
	move.l	%d0,%d2				| high word by d1
	clr.w	%d2
	swap	%d2
	divu.w	%d1,%d2
	swap	%d0				| its remainder and the low word by d1
	swap	%d2
	move.w	%d2,%d0
	swap	%d0
	divu.w	%d1,%d0
	move.w	%d0,%d2				| both quotients
	move.l	%d2,%d0
	tst.b	1(%sp)
	jeq	2f
	neg.l	%d0
2:	addq.l	#2,%sp
	move.l	(%sp)+,%d2
	rts
	.size	LongDivide,.-LongDivide

#endif

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
