/* Matrices of 16- and 32-bit numbers: product, transposition, a smoothing filter; elimination modulo a prime. */

#include "bench.h"

enum { kSide = 20, kPrime = 251 };

static s16 gLeft16[kSide][kSide], gRight16[kSide][kSide];
static s32 gProduct16[kSide][kSide];
static s32 gLeft32[kSide][kSide], gRight32[kSide][kSide], gProduct32[kSide][kSide];

static SEPARATE void multiply16(s32 (*product)[kSide], const s16 (*left)[kSide], const s16 (*right)[kSide])
{
    s32 i, j, k;

    for (i = 0; i < kSide; i++)
        for (j = 0; j < kSide; j++) {
            s32 sum = 0;

            for (k = 0; k < kSide; k++)
                sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
}

static SEPARATE void multiply32(s32 (*product)[kSide], const s32 (*left)[kSide], const s32 (*right)[kSide])
{
    s32 i, j, k;

    for (i = 0; i < kSide; i++)
        for (j = 0; j < kSide; j++) {
            u32 sum = 0;

            for (k = 0; k < kSide; k++)
                sum += (u32)left[i][k] * (u32)right[k][j];
            product[i][j] = sum;
        }
}

static SEPARATE void smooth(s16 (*out)[kSide], const s16 (*in)[kSide])
{
    s32 i, j;

    for (i = 1; i < kSide - 1; i++)
        for (j = 1; j < kSide - 1; j++)
            out[i][j] = (4 * in[i][j] + in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]) >> 3;
}

/* The determinant, by elimination with numbers modulo kPrime. */
static SEPARATE u32 determinant(s32 (*m)[kSide])
{
    s32 i, j, k, result = 1;

    for (i = 0; i < kSide; i++) {
        s32 pivot = i, inverse = 1, power;

        while (pivot < kSide && !m[pivot][i])
            pivot++;
        if (pivot == kSide)
            return 0;
        if (pivot != i) {
            for (k = i; k < kSide; k++) {
                s32 word = m[i][k];

                m[i][k] = m[pivot][k];
                m[pivot][k] = word;
            }
            result = kPrime - result;
        }
        result = result * m[i][i] % kPrime;
        for (power = 0; power < kPrime - 2; power++)
            inverse = inverse * m[i][i] % kPrime;
        for (j = i + 1; j < kSide; j++) {
            s32 factor = m[j][i] * inverse % kPrime;

            for (k = i; factor && k < kSide; k++)
                m[j][k] = (m[j][k] + (kPrime - factor) * m[i][k]) % kPrime;
        }
    }
    return result;
}

static u32 checksum(const s32 (*m)[kSide], u32 sum)
{
    s32 i, j;

    for (i = 0; i < kSide; i++)
        for (j = 0; j < kSide; j++)
            sum = mix(sum, m[i][j]);
    return sum;
}

u32 matrix16(void)
{
    u32 seed = 12, sum;
    s32 i, j;

    for (i = 0; i < kSide; i++)
        for (j = 0; j < kSide; j++) {
            gLeft16[i][j] = (s32)next_random(&seed) >> 20;
            gRight16[i][j] = (s32)next_random(&seed) >> 18;
        }
    multiply16(gProduct16, gLeft16, gRight16);
    sum = checksum(gProduct16, 0);
    smooth(gRight16, gLeft16);
    smooth(gLeft16, gRight16);
    multiply16(gProduct16, gRight16, gLeft16);
    return checksum(gProduct16, sum);
}

u32 matrix32(void)
{
    u32 seed = 13, sum;
    s32 i, j;

    for (i = 0; i < kSide; i++)
        for (j = 0; j < kSide; j++) {
            gLeft32[i][j] = next_random(&seed);
            gRight32[j][i] = next_random(&seed);
        }
    multiply32(gProduct32, gLeft32, gRight32);
    sum = checksum(gProduct32, 0);
    for (i = 0; i < kSide; i++)
        for (j = 0; j < kSide; j++)
            gLeft32[i][j] = (u32)gProduct32[i][j] % kPrime;
    return mix(sum, determinant(gLeft32));
}
