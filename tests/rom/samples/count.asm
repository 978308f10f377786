; nasm -f bin count.asm -o count.com: prints a text by DOS, then ends; `count` counts the bytes that are not 0.
        org 0x100
start:  mov cx, 5
        mov si, pixels
        call count
        mov dx, text
        mov ah, 9
        int 0x21
        mov ax, 0x4c03
        int 0x21
count:  xor ax, ax              ; bytes at si, cx of them; result in ax
.next:  cmp byte [si], 1
        cmc
        adc ax, 0
        inc si
        loop .next
        ret
pixels: db 1, 0, 2, 0, 3
text:   db "solid$"
