# Where the program begins, and the services of the machine. Memory holds zeros and the stack pointer is set.

        .intel_syntax noprefix
        .text
        .globl  _start
_start: push    offset none             # main(0, none)
        push    0
        call    main
exit:   int     0x62                    # eax: status
        jmp     exit

none:   .long   0                       # no arguments

        .globl  yield_frame
yield_frame:                            # void yield_frame(void)
        int     0x60
        ret

        .globl  microseconds
microseconds:                           # u32 microseconds(void): the low half
        int     0x61
        ret

        .globl  exit_program
exit_program:                           # void exit_program(int status)
        mov     eax,[esp+4]
        jmp     exit

        .globl  write_text
write_text:                             # void write_text(const char *text, u32 length)
        mov     eax,[esp+4]
        mov     edx,[esp+8]
        int     0x63
        ret
