/* Memory that a program asks of malloc, its own or that of the kit. */

#include <stdlib.h>
#include <string.h>

void *calloc(size_t count, size_t size)
{
    void *block = size && count > (size_t)-1 / size ? NULL : malloc(count * size);

    return block ? memset(block, 0, count * size) : NULL;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}
