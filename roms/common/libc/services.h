/* The services of the machine (retrosim guide programs), for programs that have no start file with them. */

#ifndef SERVICES_H
#define SERVICES_H

static inline void service_write(const char *text, unsigned size)
{
#if defined(__m68k__)
    register const char *from __asm__("d0") = text;
    register unsigned length __asm__("d1") = size;
    __asm__ volatile(".word 0xa003" : : "d"(from), "d"(length) : "memory");
#elif defined(__i386__)
    __asm__ volatile("int $0x63" : : "a"(text), "d"(size) : "memory");
#else
    register unsigned number __asm__("r0") = 3;
    register const char *from __asm__("r3") = text;
    register unsigned length __asm__("r4") = size;
    __asm__ volatile("sc" : : "r"(number), "r"(from), "r"(length) : "memory");
#endif
}

static inline unsigned long long service_microseconds(void)
{
    unsigned low_half, high_half;
#if defined(__m68k__)
    register unsigned low __asm__("d0");
    register unsigned high __asm__("d1");
    __asm__ volatile(".word 0xa001" : "=d"(low), "=d"(high));
    low_half = low, high_half = high;
#elif defined(__i386__)
    __asm__ volatile("int $0x61" : "=a"(low_half), "=d"(high_half));
#else
    register unsigned number __asm__("r0") = 1;
    register unsigned low __asm__("r3");
    register unsigned high __asm__("r4");
    __asm__ volatile("sc" : "=r"(low), "=r"(high) : "r"(number));
    low_half = low, high_half = high;
#endif
    return (unsigned long long)high_half << 32 | low_half;
}

static inline void service_exit(int status)
{
#if defined(__m68k__)
    register int code __asm__("d0") = status;
    __asm__ volatile(".word 0xa002" : : "d"(code));
#elif defined(__i386__)
    __asm__ volatile("int $0x62" : : "a"(status));
#else
    register unsigned number __asm__("r0") = 2;
    register int code __asm__("r3") = status;
    __asm__ volatile("sc" : : "r"(number), "r"(code));
#endif
}

#endif
