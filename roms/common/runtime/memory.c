/* GCC inserts calls of these by itself. They work by bytes, so that odd addresses are allowed on every processor. */

typedef unsigned char byte;

void *memset(void *target, int value, unsigned long size)
{
    byte *to = target;

    while (size--)
        *to++ = value;
    return target;
}

void *memcpy(void *target, const void *source, unsigned long size)
{
    byte *to = target;
    const byte *from = source;

    while (size--)
        *to++ = *from++;
    return target;
}

void *memmove(void *target, const void *source, unsigned long size)
{
    byte *to = target;
    const byte *from = source;

    if (to <= from)
        return memcpy(target, source, size);
    while (size--)
        to[size] = from[size];
    return target;
}

int memcmp(const void *first, const void *second, unsigned long size)
{
    const byte *a = first, *b = second;

    for (; size--; a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}
