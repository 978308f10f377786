/* ISO C 7.13. */

#ifndef RETROSIM_SETJMP_H
#define RETROSIM_SETJMP_H

typedef int jmp_buf[24]; /* the registers that a call preserves, stack pointer, return address */

int setjmp(jmp_buf here) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf there, int value);

#endif
