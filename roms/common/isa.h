/* What differs between the processors: word types, the width of a coordinate, the order of four pixels in a word, and
   the services of the machine. All other C sources are the same for every processor. */

#ifndef ISA_H
#define ISA_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef short s16;
typedef int s32;

#if defined(__powerpc__)
typedef s32 scalar; /* the 1994 choice for PowerPC: the fast integer of that CPU */
#elif defined(__m68k__) || defined(__i386__)
typedef s16 scalar; /* and for the 68K; x86 follows it. Stores wrap modulo 2^16 */
#else
#error "the ROMs are written for m68k, i386 and PowerPC"
#endif

/* Four pixels in a word that alternate between two palette indices, and the same two again; the first at the lowest address. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FOUR_PIXELS(first, second) ((u32)(first) << 24 | (u32)(second) << 16 | (u32)(first) << 8 | (u32)(second))
#define FIRST_PIXEL(four) ((u8)((four) >> 8))
#define SECOND_PIXEL(four) ((u8)(four))
#else
#define FOUR_PIXELS(first, second) ((u32)(second) << 24 | (u32)(first) << 16 | (u32)(second) << 8 | (u32)(first))
#define FIRST_PIXEL(four) ((u8)(four))
#define SECOND_PIXEL(four) ((u8)((four) >> 8))
#endif

/* A function that may be neither inlined nor cloned nor specialised for its callers: compilers of 1994 inlined what
   was declared inline and nothing else, and each of these is measured on its own. */
#define SEPARATE __attribute__((noipa))

/* The memory map as the ROM sees it. */
#define SCREEN ((u8 *)0x800000)
#define PAD (*(volatile u32 *)0xF00400)
#define PARAMETERS ((volatile u32 *)0xF00420)

struct wide {
    u32 high, low;
};

/* Services of the machine, one start-up file per processor. */
void YieldFrame(void);
void Microseconds(struct wide *now);

#endif
