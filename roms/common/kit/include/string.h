/* The functions of ISO C's string.h that the kit has, and short ones written here. */

#ifndef RETROSIM_STRING_H
#define RETROSIM_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

static inline size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

static inline int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static inline int strncmp(const char *a, const char *b, size_t size)
{
    for (; size && *a && *a == *b; a++, size--)
        b++;
    return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

static inline char *strcpy(char *to, const char *from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

static inline char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

static inline char *strchr(const char *text, int character)
{
    for (; *text != (char)character; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

#endif
