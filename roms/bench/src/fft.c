/* The fast Fourier transform of 128 complex numbers in fixed point, 16 bits with 15 behind the point, there and back. */

#include "bench.h"

enum { kLog = 7, kPoints = 1 << kLog };

/* round(32767 sin(2 pi i / 128)), i = 0..32: a quarter of a turn */
static const s16 kSine[kPoints / 4 + 1] = {
    0, 1608, 3212, 4808, 6393, 7962, 9512, 11039, 12539, 14010, 15446,
    16846, 18204, 19519, 20787, 22005, 23170, 24279, 25329, 26319, 27245, 28105,
    28898, 29621, 30273, 30852, 31356, 31785, 32137, 32412, 32609, 32728, 32767,
};

static s16 gReal[kPoints], gImaginary[kPoints];

static s16 sine(s32 i)
{
    i &= kPoints - 1;
    if (i >= kPoints / 2)
        return -sine(i - kPoints / 2);
    return kSine[i <= kPoints / 4 ? i : kPoints / 2 - i];
}

static SEPARATE void reverse_bits(s16 *values)
{
    s32 i, j = 0, bit;

    for (i = 0; i < kPoints; i++) {
        if (i < j) {
            s16 value = values[i];

            values[i] = values[j];
            values[j] = value;
        }
        for (bit = kPoints >> 1; bit & j; bit >>= 1)
            j ^= bit;
        j |= bit;
    }
}

static SEPARATE void transform(s16 *real, s16 *imaginary, s32 direction)
{
    s32 half, turn, i, j;

    for (half = 1; half < kPoints; half <<= 1)
        for (turn = 0; turn < half; turn++) {
            s32 angle = turn * (kPoints / 2 / half);
            s32 c = sine(angle + kPoints / 4), s = direction * sine(angle);

            for (i = turn; i < kPoints; i += 2 * half) {
                s32 re, im;

                j = i + half;
                re = (c * real[j] - s * imaginary[j]) >> 15;
                im = (c * imaginary[j] + s * real[j]) >> 15;
                real[j] = (real[i] - re) >> 1;
                imaginary[j] = (imaginary[i] - im) >> 1;
                real[i] = (real[i] + re) >> 1;
                imaginary[i] = (imaginary[i] + im) >> 1;
            }
        }
}

u32 fft(void)
{
    u32 seed = 20, sum = 0;
    s32 i, direction;

    for (i = 0; i < kPoints; i++) {
        gReal[i] = (sine(3 * i) >> 2) + (sine(17 * i) >> 3) + ((s32)next_random(&seed) >> 20);
        gImaginary[i] = 0;
    }
    for (direction = -1; direction <= 1; direction += 2) {
        reverse_bits(gReal);
        reverse_bits(gImaginary);
        transform(gReal, gImaginary, direction);
        for (i = 0; i < kPoints; i++) {
            sum = mix(sum, (u32)gReal[i] << 16 ^ (u16)gImaginary[i]);
            if (direction < 0) {
                gReal[i] <<= 4;
                gImaginary[i] <<= 4;
            }
        }
    }
    return sum;
}
