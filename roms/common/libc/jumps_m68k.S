| setjmp and longjmp: d2-d7, a2-a6, stack pointer, return address.

        .text
        .globl  setjmp
setjmp: move.l  4(%sp),%a0
        movem.l %d2-%d7/%a2-%a7,(%a0)
        move.l  (%sp),48(%a0)
        moveq   #0,%d0
        rts

        .globl  longjmp
longjmp:
        move.l  4(%sp),%a0
        move.l  8(%sp),%d0
        jne     restore
        moveq   #1,%d0
restore:
        movem.l (%a0),%d2-%d7/%a2-%a7
        move.l  48(%a0),(%sp)
        rts
