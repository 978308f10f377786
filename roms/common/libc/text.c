/* string.h without what compilers call by themselves. */

#include <string.h>
#include <strings.h>
#include <ctype.h>

void *memchr(const void *from, int byte, size_t size)
{
    const unsigned char *at = from;

    for (; size; at++, size--)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return NULL;
}

size_t strlen(const char *text)
{
    const char *at = text;

    while (*at)
        at++;
    return at - text;
}

size_t strnlen(const char *text, size_t limit)
{
    size_t length = 0;

    while (length < limit && text[length])
        length++;
    return length;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t size)
{
    for (; size && *a && *a == *b; a++, size--)
        b++;
    return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcoll(const char *a, const char *b)
{
    return strcmp(a, b);
}

int strncasecmp(const char *a, const char *b, size_t size)
{
    for (; size && *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++, size--)
        b++;
    return size ? tolower((unsigned char)*a) - tolower((unsigned char)*b) : 0;
}

int strcasecmp(const char *a, const char *b)
{
    return strncasecmp(a, b, (size_t)-1);
}

char *strcpy(char *to, const char *from)
{
    char *at = to;

    while ((*at++ = *from++))
        ;
    return to;
}

char *strncpy(char *to, const char *from, size_t size)
{
    size_t length = strnlen(from, size);

    memcpy(to, from, length);
    memset(to + length, 0, size - length);
    return to;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t size)
{
    size_t length = strnlen(from, size);
    char *at = to + strlen(to);

    memcpy(at, from, length);
    at[length] = 0;
    return to;
}

char *strchr(const char *text, int character)
{
    for (; *text != (char)character; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

char *strrchr(const char *text, int character)
{
    const char *found = NULL;

    do
        if (*text == (char)character)
            found = text;
    while (*text++);
    return (char *)found;
}

char *strstr(const char *text, const char *part)
{
    size_t size = strlen(part);

    for (; strncmp(text, part, size); text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

size_t strspn(const char *text, const char *set)
{
    size_t length = 0;

    while (text[length] && strchr(set, text[length]))
        length++;
    return length;
}

size_t strcspn(const char *text, const char *set)
{
    size_t length = 0;

    while (!strchr(set, text[length]))
        length++;
    return length;
}

char *strpbrk(const char *text, const char *set)
{
    text += strcspn(text, set);
    return *text ? (char *)text : NULL;
}

char *strtok(char *text, const char *separators)
{
    static char *rest;
    char *word = text ? text : rest;

    word += strspn(word, separators);
    rest = word + strcspn(word, separators);
    if (*rest)
        *rest++ = 0;
    return *word ? word : NULL;
}
