# setjmp and longjmp: ebx, esi, edi, ebp, stack pointer, return address.

        .intel_syntax noprefix
        .text
        .globl  setjmp
setjmp: mov     ecx,[esp+4]
        mov     edx,[esp]
        mov     [ecx],ebx
        mov     [ecx+4],esi
        mov     [ecx+8],edi
        mov     [ecx+12],ebp
        mov     [ecx+16],esp
        mov     [ecx+20],edx
        xor     eax,eax
        ret

        .globl  longjmp
longjmp:
        mov     ecx,[esp+4]
        mov     eax,[esp+8]
        test    eax,eax
        jnz     restore
        inc     eax
restore:
        mov     ebx,[ecx]
        mov     esi,[ecx+4]
        mov     edi,[ecx+8]
        mov     ebp,[ecx+12]
        mov     esp,[ecx+16]
        mov     edx,[ecx+20]
        mov     [esp],edx
        ret
