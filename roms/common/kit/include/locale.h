/* The locale is "C" (ISO C 7.11). */

#ifndef RETROSIM_LOCALE_H
#define RETROSIM_LOCALE_H

enum { LC_ALL, LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_NUMERIC, LC_TIME };

struct lconv {
    char *decimal_point, *thousands_sep, *grouping;
};

char *setlocale(int category, const char *locale); /* NULL for another than "C" and "" */
struct lconv *localeconv(void);

#endif
