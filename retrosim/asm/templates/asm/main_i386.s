; @NAME@: a square that the pad moves, and one that it must not touch.
;
;   retrosim run .                      play it: the cursor keys are the pad
;   retrosim cost . --entry overlap --reg eax=0 --reg ebx=0 --reg ecx=31 --reg edx=0
;   pytest                              what overlap returns, and what it may cost

        include "retrosim.inc"

SIZE    equ 32                  ; of both squares, in pixels
OTHER_X equ 304
OTHER_Y equ 224
SPEED   equ 4                   ; pixels a frame
BLUE    equ 1                   ; palette indices
RED     equ 2
YELLOW  equ 3

        global  _start
        global  overlap

_start: mov     dword [PALETTE], 0x102030       ; index 0: the background
        mov     dword [PALETTE+4*BLUE], 0x4080ff
        mov     dword [PALETTE+4*RED], 0xff4040
        mov     dword [PALETTE+4*YELLOW], 0xffe040
        cld
        mov     edi, SCREEN
        mov     ecx, SCREEN_WIDTH*SCREEN_HEIGHT/4
        xor     eax, eax
        rep stosd
        mov     esi, 100                        ; x
        mov     ebp, 200                        ; y

frame:  mov     eax, esi
        mov     ebx, ebp
        mov     dl, 0
        call    fill                            ; where it was
        call    move
        mov     eax, OTHER_X
        mov     ebx, OTHER_Y
        mov     dl, RED
        call    fill
        mov     eax, esi
        mov     ebx, ebp
        mov     ecx, OTHER_X
        mov     edx, OTHER_Y
        call    overlap
        mov     dl, BLUE
        test    eax, eax
        jz      .draw
        mov     dl, YELLOW
.draw:  mov     eax, esi
        mov     ebx, ebp
        call    fill
        yield_frame
        jmp     frame

; Do two squares of SIZE pixels overlap? Touching sides do not.
; in: eax, ebx left and top of one, ecx, edx of the other; out: eax 1 or 0
overlap:
        sub     eax, ecx                        ; apart in x: |eax - ecx| >= SIZE
        jns     .x
        neg     eax
.x:     cmp     eax, SIZE
        jge     .apart
        sub     ebx, edx
        jns     .y
        neg     ebx
.y:     cmp     ebx, SIZE
        jge     .apart
        mov     eax, 1
        ret
.apart: xor     eax, eax
        ret

; Move the square at esi, ebp as the pad says, inside the screen. Changes eax.
move:   mov     eax, [PAD]
        test    al, PAD_LEFT
        jz      .right
        sub     esi, SPEED
.right: test    al, PAD_RIGHT
        jz      .up
        add     esi, SPEED
.up:    test    al, PAD_UP
        jz      .down
        sub     ebp, SPEED
.down:  test    al, PAD_DOWN
        jz      .inside
        add     ebp, SPEED
.inside:
        test    esi, esi
        jns     .wide
        xor     esi, esi
.wide:  cmp     esi, SCREEN_WIDTH-SIZE
        jle     .top
        mov     esi, SCREEN_WIDTH-SIZE
.top:   test    ebp, ebp
        jns     .high
        xor     ebp, ebp
.high:  cmp     ebp, SCREEN_HEIGHT-SIZE
        jle     .done
        mov     ebp, SCREEN_HEIGHT-SIZE
.done:  ret

; Fill the square at eax, ebx with palette index dl. Changes eax, ebx, ecx, edi.
fill:   imul    edi, ebx, SCREEN_WIDTH
        lea     edi, [edi+eax+SCREEN]
        mov     al, dl
        mov     ebx, SIZE
.row:   mov     ecx, SIZE
        rep stosb
        add     edi, SCREEN_WIDTH-SIZE
        dec     ebx
        jnz     .row
        ret
