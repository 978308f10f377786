# Where the program begins, and the services of the machine, by number in r0. Memory holds zeros and the stack pointer is
# set.

        .text
        .globl  _start
_start: li      3,0                     # main(0, none)
        lis     4,none@ha
        addi    4,4,none@l
        bl      main
exit:   li      0,2                     # r3: status
        sc
        b       exit

none:   .long   0                       # no arguments

        .globl  yield_frame
yield_frame:                            # void yield_frame(void)
        li      0,0
        sc
        blr

        .globl  microseconds
microseconds:                           # u32 microseconds(void): the low half
        li      0,1
        sc
        blr

        .globl  exit_program
exit_program:                           # void exit_program(int status)
        b       exit

        .globl  write_text
write_text:                             # void write_text(const char *text, u32 length)
        li      0,3
        sc
        blr
