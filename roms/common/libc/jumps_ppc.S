# setjmp and longjmp: r13-r31, stack pointer, return address, condition register.

        .text
        .globl  setjmp
setjmp: stmw    13,0(3)
        stw     1,76(3)
        mflr    4
        stw     4,80(3)
        mfcr    4
        stw     4,84(3)
        li      3,0
        blr

        .globl  longjmp
longjmp:
        lmw     13,0(3)
        lwz     1,76(3)
        lwz     5,80(3)
        mtlr    5
        lwz     5,84(3)
        mtcrf   0xff,5
        mr.     3,4
        bnelr
        li      3,1
        blr
