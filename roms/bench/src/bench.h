/* What the programs of the benchmark share. They are plain C for any processor, so that the host can compile the very
   same sources: 16- and 32-bit integers, no floating point, no library, nothing that depends on the order of bytes.

   Each is one function without arguments that makes its own input, works on it and returns a checksum, the same in each
   call. rom.toml has the checksums. */

#ifndef BENCH_H
#define BENCH_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef signed short s16;
typedef signed int s32;

#define COUNT(array) ((s32)(sizeof(array) / sizeof *(array)))

/* Kept apart from its callers, so that nothing of it is worked out by the compiler. */
#define SEPARATE __attribute__((noipa))

/* Linear congruential generator of Numerical Recipes; its upper bits are the better ones. */
static inline u32 next_random(u32 *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

/* One step of a checksum (FNV-1a with a word instead of a byte). */
static inline u32 mix(u32 sum, u32 word)
{
    return (sum ^ word) * 16777619u;
}

u32 sort(void);
u32 list(void);
u32 tree(void);
u32 search(void);
u32 state(void);
u32 matrix16(void);
u32 matrix32(void);
u32 crc(void);
u32 bits(void);
u32 lz(void);
u32 huffman(void);
u32 fft(void);
u32 bytecode(void);
u32 recursion(void);
u32 block(void);
u32 string(void);
u32 decimal(void);
u32 selfmod(void);

#endif
