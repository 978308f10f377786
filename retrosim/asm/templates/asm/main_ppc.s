# @NAME@: a square that the pad moves, and one that it must not touch.
#
#   retrosim run .                      play it: the cursor keys are the pad
#   retrosim cost . --entry overlap --arg 0 --arg 0 --arg 31 --arg 0
#   pytest                              what overlap returns, and what it may cost

        .include "retrosim.inc"

SIZE = 32                       # of both squares, in pixels
OTHER_X = 304
OTHER_Y = 224
SPEED = 4                       # pixels a frame
BLUE = 1                        # palette indices
RED = 2
YELLOW = 3

        .globl  _start
        .globl  overlap

_start: load    r3,PALETTE
        load    r4,0x102030     # index 0: the background
        stw     r4,0(r3)
        load    r4,0x4080ff
        stw     r4,4*BLUE(r3)
        load    r4,0xff4040
        stw     r4,4*RED(r3)
        load    r4,0xffe040
        stw     r4,4*YELLOW(r3)
        load    r3,SCREEN-4
        load    r4,SCREEN_WIDTH*SCREEN_HEIGHT/4
        mtctr   r4
        li      r4,0
clear:  stwu    r4,4(r3)
        bdnz    clear
        li      r14,100         # x
        li      r15,200         # y

frame:  mr      r3,r14
        mr      r4,r15
        li      r5,0
        bl      fill            # where it was
        bl      move
        li      r3,OTHER_X
        li      r4,OTHER_Y
        li      r5,RED
        bl      fill
        mr      r3,r14
        mr      r4,r15
        li      r5,OTHER_X
        li      r6,OTHER_Y
        bl      overlap
        li      r5,BLUE
        cmpwi   r3,0
        beq     draw
        li      r5,YELLOW
draw:   mr      r3,r14
        mr      r4,r15
        bl      fill
        yield_frame
        b       frame

# Do two squares of SIZE pixels overlap? Touching sides do not.
# in: r3, r4 left and top of one, r5, r6 of the other; out: r3 1 or 0
overlap:
        subf    r3,r5,r3        # apart in x: r3 - r5 outside -SIZE+1 .. SIZE-1
        addi    r3,r3,SIZE-1
        cmplwi  r3,2*SIZE-2
        bgt     apart
        subf    r4,r6,r4
        addi    r4,r4,SIZE-1
        cmplwi  r4,2*SIZE-2
        bgt     apart
        li      r3,1
        blr
apart:  li      r3,0
        blr

# Move the square at r14, r15 as the pad says, inside the screen. Changes r3, r4.
move:   load    r3,PAD
        lwz     r3,0(r3)
        andi.   r4,r3,PAD_LEFT
        beq     right
        addi    r14,r14,-SPEED
right:  andi.   r4,r3,PAD_RIGHT
        beq     up
        addi    r14,r14,SPEED
up:     andi.   r4,r3,PAD_UP
        beq     down
        addi    r15,r15,-SPEED
down:   andi.   r4,r3,PAD_DOWN
        beq     inside
        addi    r15,r15,SPEED
inside: cmpwi   r14,0
        bge     wide
        li      r14,0
wide:   cmpwi   r14,SCREEN_WIDTH-SIZE
        ble     top
        li      r14,SCREEN_WIDTH-SIZE
top:    cmpwi   r15,0
        bge     high
        li      r15,0
high:   cmpwi   r15,SCREEN_HEIGHT-SIZE
        blelr
        li      r15,SCREEN_HEIGHT-SIZE
        blr

# Fill the square at r3, r4 with palette index r5. Changes r3, r4, r6, ctr.
fill:   mulli   r4,r4,SCREEN_WIDTH
        add     r3,r3,r4
        load    r4,SCREEN-1
        add     r3,r3,r4
        li      r6,SIZE
row:    li      r4,SIZE
        mtctr   r4
pixel:  stbu    r5,1(r3)
        bdnz    pixel
        addi    r3,r3,SCREEN_WIDTH-SIZE
        addic.  r6,r6,-1
        bne     row
        blr
