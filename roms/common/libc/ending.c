/* The end of a program: exit, abort, assertions that fail. */

#include "services.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS = 32, ABORTED = 134 };

static void (*functions[FUNCTIONS])(void);
static int count;

int atexit(void (*function)(void))
{
    if (count == FUNCTIONS)
        return -1;
    functions[count++] = function;
    return 0;
}

void exit(int status)
{
    while (count)
        functions[--count]();
    _Exit(status);
}

void _Exit(int status)
{
    for (;;)
        service_exit(status);
}

void abort(void)
{
    _Exit(ABORTED);
}

void __assert_failed(const char *condition, const char *file, int line)
{
    printf("%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}
