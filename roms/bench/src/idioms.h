/* Routines that programmers wrote in assembly language, one file for each family of processors; idioms_c.c has the same
   in C, for the host and to check them. */

#ifndef IDIOMS_H
#define IDIOMS_H

#include "bench.h"

/* Copies blocks of 32 bytes: MOVEM, REP MOVSD, LMW and STMW. Both pointers are divisible by 4. */
void copy_blocks(u32 *to, const u32 *from, u32 blocks);

/* Fills words: MOVEM, REP STOSD, STWU. */
void fill_words(u32 *to, u32 word, u32 count);

/* Index of a byte, or count: DBEQ, REPNE SCASB, LBZU and BDNZF. */
u32 find_byte(const u8 *bytes, u32 count, u32 wanted);

/* How many bytes two stretches have in common from their beginnings: CMPM, REPE CMPSB, LBZU and BDNZT. */
u32 common_bytes(const u8 *left, const u8 *right, u32 count);

/* Adds numbers of decimal digits, two in a byte, the last byte the lowest; the carry is returned. ABCD, DAA. */
u32 add_decimal(u8 *to, const u8 *from, u32 count);

/* Rotations through a 64-bit word, high half first: ROXL, RCL, ADDE. Returns the last carry. */
u32 rotate_wide(u32 *pair, u32 count);

#endif
