; @NAME@: a square that the pad moves, and one that it must not touch.
;
;   retrosim run .                      play it: the cursor keys are the pad
;   retrosim cost . --entry overlap --reg d0=0 --reg d1=0 --reg d2=31 --reg d3=0
;   pytest                              what overlap returns, and what it may cost

                include "retrosim.inc"

SIZE            = 32            ; of both squares, in pixels
OTHER_X         = 304
OTHER_Y         = 224
SPEED           = 4             ; pixels a frame
BLUE            = 1             ; palette indices
RED             = 2
YELLOW          = 3

                globl   _start
                globl   overlap

_start:         lea     PALETTE,a0
                move.l  #$102030,(a0)           ; index 0: the background
                move.l  #$4080ff,4*BLUE(a0)
                move.l  #$ff4040,4*RED(a0)
                move.l  #$ffe040,4*YELLOW(a0)
                lea     SCREEN,a0
                move.l  #SCREEN_WIDTH*SCREEN_HEIGHT/4-1,d0
clear:          clr.l   (a0)+
                subq.l  #1,d0
                bpl     clear
                move.w  #100,d4                 ; x
                move.w  #200,d5                 ; y

frame:          move.w  d4,d0
                move.w  d5,d1
                moveq   #0,d2
                bsr     fill                    ; where it was
                bsr     move
                move.w  #OTHER_X,d0
                move.w  #OTHER_Y,d1
                moveq   #RED,d2
                bsr     fill
                move.w  d4,d0
                move.w  d5,d1
                move.w  #OTHER_X,d2
                move.w  #OTHER_Y,d3
                bsr     overlap
                moveq   #BLUE,d2
                tst.w   d0
                beq     .draw
                moveq   #YELLOW,d2
.draw:          move.w  d4,d0
                move.w  d5,d1
                bsr     fill
                yield_frame
                bra     frame

; Do two squares of SIZE pixels overlap? Touching sides do not.
; in: d0, d1 left and top of one, d2, d3 of the other; out: d0 1 or 0
overlap:        sub.w   d2,d0                   ; apart in x: |d0 - d2| >= SIZE
                bpl     .x
                neg.w   d0
.x:             cmp.w   #SIZE,d0
                bge     .apart
                sub.w   d3,d1
                bpl     .y
                neg.w   d1
.y:             cmp.w   #SIZE,d1
                bge     .apart
                moveq   #1,d0
                rts
.apart:         moveq   #0,d0
                rts

; Move the square at d4, d5 as the pad says, inside the screen. Changes d0.
move:           move.l  PAD,d0
                btst    #PAD_LEFT,d0
                beq     .right
                subq.w  #SPEED,d4
.right:         btst    #PAD_RIGHT,d0
                beq     .up
                addq.w  #SPEED,d4
.up:            btst    #PAD_UP,d0
                beq     .down
                subq.w  #SPEED,d5
.down:          btst    #PAD_DOWN,d0
                beq     .inside
                addq.w  #SPEED,d5
.inside:        tst.w   d4
                bpl     .wide
                moveq   #0,d4
.wide:          cmp.w   #SCREEN_WIDTH-SIZE,d4
                ble     .top
                move.w  #SCREEN_WIDTH-SIZE,d4
.top:           tst.w   d5
                bpl     .high
                moveq   #0,d5
.high:          cmp.w   #SCREEN_HEIGHT-SIZE,d5
                ble     .done
                move.w  #SCREEN_HEIGHT-SIZE,d5
.done:          rts

; Fill the square at d0, d1 with palette index d2. Changes d0-d3 and a0.
fill:           mulu    #SCREEN_WIDTH,d1
                lea     SCREEN,a0
                adda.l  d1,a0
                adda.w  d0,a0
                moveq   #SIZE-1,d1
.row:           moveq   #SIZE-1,d3
.pixel:         move.b  d2,(a0)+
                dbra    d3,.pixel
                lea     SCREEN_WIDTH-SIZE(a0),a0
                dbra    d1,.row
                rts
