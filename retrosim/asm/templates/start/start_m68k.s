| Where the program begins, and the services of the machine. Memory holds zeros and the stack pointer is set.

        .text
        .globl  _start
_start: pea     none                    | main(0, none)
        clr.l   -(%sp)
        jsr     main
exit:   .word   0xa002                  | d0: status
        jra     exit

none:   .long   0                       | no arguments

        .globl  yield_frame
yield_frame:                            | void yield_frame(void)
        .word   0xa000
        rts

        .globl  microseconds
microseconds:                           | u32 microseconds(void): the low half
        .word   0xa001
        rts

        .globl  exit_program
exit_program:                           | void exit_program(int status)
        move.l  4(%sp),%d0
        jra     exit

        .globl  write_text
write_text:                             | void write_text(const char *text, u32 length)
        move.l  4(%sp),%d0
        move.l  8(%sp),%d1
        .word   0xa003
        rts
