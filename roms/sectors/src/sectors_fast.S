/* The routine, optimised by hand for the 68040; every instruction is one of the 68000's. Same flags, other lists.

   Two objects share a sector of at least one of the four shifted grids exactly if the half sectors of their corners, 32
   pixels square, are the same or touch: neighbouring half columns make one sector either in the grids at 0 or in those
   shifted in x, half rows likewise, and the four grids combine both choices. So one pass over half sectors replaces four
   over sectors: every object is compared with those placed before it in its own half sector and the eight around it, then
   placed itself. A pair that the original tests in up to four passes is tested once, and no pair that it does not test.

   The rest is bookkeeping:
   - Empty lists are passed by, in three clocks; the original calls a function for each of 396 sectors.
   - Half sectors lie in columns of 16, of which the last stays empty, with empty ones before the first and behind the
     last column: no neighbour needs a check of the edge, and an index needs no multiplication.
   - One subtraction gives both differences, one above the other in a long word, with 29 added to each: a difference of
     -29..29 is 0..58 then. A borrow out of the lower half spoils the upper one only where the lower half fails anyway.
   - A list's nodes hold coordinates, next node and the address of the object's flag; no difference is divided by 12.
   - A 68040 needs an address two clocks after the execute stage has produced it: loops fetch the next node's before
     the branch, which takes two.

   Objects must lie on the screen, as for the original.                                                              */

#define OBJ_X		0
#define OBJ_Y		2
#define OBJ_OBJ_LINK	8
#define OBJ_SIZE	12
#define MAX_OBJECTS	200
#define OBJECT_SIDE	30

#define CELL_SHIFT	5		/* a half sector has 32 pixels */
#define CELL_COLUMNS	20
#define CELL_ROWS	16		/* in memory; 15 on the screen */
#define GUARD		(CELL_ROWS + 1)	/* from a cell to its farthest neighbour */
#define TO_CLEAR	(MAX_OBJECTS / 4 + GUARD + CELL_COLUMNS * CELL_ROWS)	/* 387 long words */
#define AT_ONCE		9

#define NODE_PLACE	0		/* x and y */
#define NODE_LINK	4
#define NODE_FLAG	8
#define NODE_SIZE	12

#define BOTH(n)		((n) * 0x10001)

	.macro	test_list neighbour	| compare the object with those in a list; a1 is its own cell
	move.l	4*(\neighbour)(%a1),%d2
	jeq	4f
	move.l	%d2,%a2
1:	move.l	NODE_PLACE(%a2),%d0
	sub.l	%d1,%d0
	cmp.w	%d6,%d0			| y
	jhi	3f
	cmp.l	%d7,%d0			| x
	jcc	3f
	move.l	NODE_FLAG(%a2),%a5
	move.b	%d5,(%a4)
	move.b	%d5,(%a5)
3:	move.l	NODE_LINK(%a2),%d2
	move.l	%d2,%a2
	jne	1b
4:
	.endm

	.text
	.globl	DetermineCollisions
	.type	DetermineCollisions,@function
DetermineCollisions:			| void DetermineCollisions(void)
	movem.l	%d2-%d7/%a2-%a6,-(%sp)
	lea	gCollisionArray,%a0
	move.l	%a0,%a4
	moveq	#0,%d0
	moveq	#TO_CLEAR/AT_ONCE-1,%d1
.Lclear:				| flags and cells
	.rept	AT_ONCE
	move.l	%d0,(%a0)+
	.endr
	dbf	%d1,.Lclear

	lea	gObjects,%a0		| the object
	lea	Nodes,%a3		| its node; a4 is the address of its flag
	move.l	%a0,%a6			| where it lies if the list follows the array
	moveq	#(CELL_ROWS-1)*4,%d3
	moveq	#-(1<<CELL_SHIFT),%d4
	moveq	#1,%d5
	moveq	#2*OBJECT_SIDE-2,%d6
	move.l	#(2*OBJECT_SIDE-1)<<16,%d7
.Lobject:
	move.w	OBJ_X(%a0),%d0		| its cell: x / 32 * 16 + y / 32 long words
	and.w	%d4,%d0
	add.w	%d0,%d0
	move.w	OBJ_Y(%a0),%d2
	lsr.w	#CELL_SHIFT-2,%d2
	and.w	%d3,%d2
	add.w	%d2,%d0
	lea	Cells,%a1
	add.w	%d0,%a1
	move.l	OBJ_X(%a0),%d1		| both coordinates
	move.l	%d1,NODE_PLACE(%a3)
	sub.l	#BOTH(OBJECT_SIDE-1),%d1
	cmp.l	%a0,%a6
	jeq	.Lin_order
	move.l	%a0,%d0
	sub.l	#gObjects,%d0
	divu.w	#OBJ_SIZE,%d0
	lea	gCollisionArray,%a4
	add.w	%d0,%a4
.Lin_order:
	move.l	(%a1),NODE_LINK(%a3)
	move.l	%a4,NODE_FLAG(%a3)
	test_list -CELL_ROWS-1
	test_list -CELL_ROWS
	test_list -CELL_ROWS+1
	test_list -1
	test_list 0
	test_list 1
	test_list CELL_ROWS-1
	test_list CELL_ROWS
	test_list CELL_ROWS+1
	move.l	%a3,(%a1)
	lea	NODE_SIZE(%a3),%a3
	addq.l	#1,%a4
	lea	OBJ_SIZE(%a0),%a6
	move.l	OBJ_OBJ_LINK(%a0),%d0
	move.l	%d0,%a0
	jne	.Lobject
	movem.l	(%sp)+,%d2-%d7/%a2-%a6
	rts
	.size	DetermineCollisions,.-DetermineCollisions

	.bss
	.align	4
	.globl	gCollisionArray
	.type	gCollisionArray,@object
gCollisionArray:
	.space	MAX_OBJECTS
	.size	gCollisionArray,.-gCollisionArray
	.space	4*GUARD
	.type	Cells,@object
Cells:					| first node of each half sector
	.space	4*(CELL_COLUMNS*CELL_ROWS+GUARD)
	.size	Cells,.-Cells
	.type	Nodes,@object
Nodes:
	.space	NODE_SIZE*MAX_OBJECTS
	.size	Nodes,.-Nodes
