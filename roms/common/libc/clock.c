/* time.h and locale.h. */

#include "services.h"
#include <locale.h>
#include <string.h>
#include <time.h>

clock_t clock(void)
{
    return service_microseconds();
}

time_t time(time_t *now)
{
    time_t seconds = service_microseconds() / CLOCKS_PER_SEC;

    if (now)
        *now = seconds;
    return seconds;
}

double difftime(time_t end, time_t start)
{
    return end - start;
}

char *setlocale(int category, const char *locale)
{
    (void)category;
    return !locale || !*locale || !strcmp(locale, "C") ? "C" : NULL;
}

struct lconv *localeconv(void)
{
    static struct lconv conventions = {".", "", ""};

    return &conventions;
}
