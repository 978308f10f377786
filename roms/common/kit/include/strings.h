/* POSIX's strings.h: comparison without case. */

#ifndef RETROSIM_STRINGS_H
#define RETROSIM_STRINGS_H

#include <stddef.h>

int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t size);

#endif
