/* Integers: from text, absolute values, quotients, random numbers. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

int errno;

static int digit_of(char character)
{
    int c = (unsigned char)character;

    return isdigit(c) ? c - '0' : isalpha(c) ? tolower(c) - 'a' + 10 : INT_MAX;
}

/* The absolute value, at most `limit`; below zero that is one more. */
static unsigned long long magnitude(
    const char *text, char **end, int base, unsigned long long limit, int is_signed, int *is_negative)
{
    const char *at = text;
    unsigned long long value = 0;
    int any = 0, over = 0;

    while (isspace((unsigned char)*at))
        at++;
    *is_negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && *at == '0' && (at[1] | 32) == 'x' && digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0)
        base = *at == '0' ? 8 : 10;
    limit += is_signed && *is_negative;
    for (; digit_of(*at) < base; at++, any = 1) {
        unsigned digit = digit_of(*at);

        if (value > (limit - digit) / base)
            over = 1;
        value = value * base + digit;
    }
    if (end)
        *end = (char *)(any ? at : text);
    if (over)
        errno = ERANGE;
    return over ? limit : value;
}

long long strtoll(const char *text, char **end, int base)
{
    int negative;
    unsigned long long value = magnitude(text, end, base, LLONG_MAX, 1, &negative);

    return negative ? -value : value;
}

unsigned long long strtoull(const char *text, char **end, int base)
{
    int negative;
    unsigned long long value = magnitude(text, end, base, ULLONG_MAX, 0, &negative);

    return negative && value != ULLONG_MAX ? -value : value;
}

long strtol(const char *text, char **end, int base)
{
    int negative;
    unsigned long value = magnitude(text, end, base, LONG_MAX, 1, &negative);

    return negative ? -value : value;
}

unsigned long strtoul(const char *text, char **end, int base)
{
    int negative;
    unsigned long value = magnitude(text, end, base, ULONG_MAX, 0, &negative);

    return negative && value != ULONG_MAX ? -value : value;
}

intmax_t strtoimax(const char *text, char **end, int base) { return strtoll(text, end, base); }
uintmax_t strtoumax(const char *text, char **end, int base) { return strtoull(text, end, base); }
int atoi(const char *text) { return strtol(text, NULL, 10); }
long atol(const char *text) { return strtol(text, NULL, 10); }
long long atoll(const char *text) { return strtoll(text, NULL, 10); }

int abs(int number) { return number < 0 ? -number : number; }
long labs(long number) { return number < 0 ? -number : number; }
long long llabs(long long number) { return number < 0 ? -number : number; }
div_t div(int number, int divisor) { return (div_t){number / divisor, number % divisor}; }
ldiv_t ldiv(long number, long divisor) { return (ldiv_t){number / divisor, number % divisor}; }
lldiv_t lldiv(long long number, long long divisor) { return (lldiv_t){number / divisor, number % divisor}; }

/* Marsaglia 2003, Xorshift RNGs: shifts 13, 17, 5. */
static unsigned seed = 1;

int rand(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed & RAND_MAX;
}

void srand(unsigned start)
{
    seed = start ? start : 1;
}
