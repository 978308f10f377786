/* Time since power-on (of ISO C 7.27); there is no calendar. */

#ifndef RETROSIM_TIME_H
#define RETROSIM_TIME_H

#include <stddef.h>

typedef long long time_t;
typedef long clock_t;

#define CLOCKS_PER_SEC 1000000L

clock_t clock(void);
time_t time(time_t *now); /* seconds since power-on */
double difftime(time_t end, time_t start);

#endif
