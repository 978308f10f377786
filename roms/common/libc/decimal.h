/* Digits of a number in floating point. */

#ifndef DECIMAL_H
#define DECIMAL_H

enum { DIGITS = 800 }; /* a double has 767 at most */

/* 0.d1d2d3... * 10**point; no digits: zero. */
struct decimal {
    int point, count;
    char digits[DIGITS];
};

/* Write all digits of a finite number of 0 or above, given by its bits. */
void __decimal_of(struct decimal *decimal, unsigned long long bits);

/* Round to so many digits, to nearest, ties to even. */
void __decimal_round(struct decimal *decimal, int count);

#endif
