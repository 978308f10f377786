/* malloc and free. A block has a header with its size and that of the block below it, so that free blocks become one
   with free neighbours. Free blocks are in lists by their size: list n has those of 2**n to 2**(n+1)-1 bytes. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct block {
    size_t below, size;           /* bytes of the block below, and of this one with its header; bit 0: in use */
    struct block *next, *previous; /* of its list, if it is free */
};

enum { HEADER = 2 * sizeof(size_t), LEAST = sizeof(struct block), ALIGN = 8, LISTS = 24, USED = 1 };
#define HEAP_START ((uintptr_t)0x100000) /* the stack's top at power-on */
#define HEAP_END ((uintptr_t)0x800000)   /* of RAM */

extern char _end[]; /* of the program, from the linker */

static struct block *lists[LISTS], *last;

static struct block *above(struct block *block)
{
    return (struct block *)((char *)block + (block->size & ~(size_t)USED));
}

static struct block **list_of(size_t size)
{
    int number = 0;

    while (size >>= 1)
        number++;
    return &lists[number];
}

static void put(struct block *block)
{
    struct block **list = list_of(block->size);

    block->previous = NULL;
    block->next = *list;
    if (*list)
        (*list)->previous = block;
    *list = block;
}

static void take(struct block *block)
{
    if (block->previous)
        block->previous->next = block->next;
    else
        *list_of(block->size) = block->next;
    if (block->next)
        block->next->previous = block->previous;
}

static void begin(void)
{
    uintptr_t start = (uintptr_t)_end > HEAP_START ? (uintptr_t)_end : HEAP_START;
    struct block *first = (struct block *)((start + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));

    last = (struct block *)(HEAP_END - HEADER);
    first->below = USED;
    first->size = (uintptr_t)last - (uintptr_t)first;
    last->below = first->size;
    last->size = HEADER | USED;
    put(first);
}

static struct block *found(size_t size)
{
    struct block **list = list_of(size), *block;

    for (block = *list; block; block = block->next)
        if (block->size >= size)
            return block;
    while (++list < lists + LISTS)
        if (*list)
            return *list;
    return NULL;
}

/* Make the rest of a block that is not in use, in no list, and larger than asked for, a free block. */
static void cut(struct block *block, size_t size)
{
    size_t rest = block->size - size;

    if (rest >= LEAST) {
        struct block *free_block;

        block->size = size;
        free_block = above(block);
        free_block->below = size;
        free_block->size = rest;
        above(free_block)->below = rest;
        put(free_block);
    }
    block->size |= USED;
}

void *malloc(size_t size)
{
    struct block *block;

    if (!last)
        begin();
    if (size >= HEAP_END || !(block = found(size = (size < LEAST - HEADER ? LEAST : size + HEADER + ALIGN - 1) & ~(size_t)(ALIGN - 1)))) {
        errno = ENOMEM;
        return NULL;
    }
    take(block);
    cut(block, size);
    return (char *)block + HEADER;
}

void free(void *pointer)
{
    struct block *block = (struct block *)((char *)pointer - HEADER), *neighbour;

    if (!pointer)
        return;
    block->size &= ~(size_t)USED;
    neighbour = above(block);
    if (!(neighbour->size & USED)) {
        take(neighbour);
        block->size += neighbour->size;
    }
    if (block->below != USED) {
        neighbour = (struct block *)((char *)block - block->below);
        if (!(neighbour->size & USED)) {
            take(neighbour);
            neighbour->size += block->size;
            block = neighbour;
        }
    }
    above(block)->below = block->size;
    put(block);
}

void *realloc(void *pointer, size_t size)
{
    struct block *block = (struct block *)((char *)pointer - HEADER);
    size_t held;
    void *moved;

    if (!pointer)
        return malloc(size);
    held = (block->size & ~(size_t)USED) - HEADER;
    if (size <= held && size >= held / 2)
        return pointer;
    moved = malloc(size);
    if (moved) {
        memcpy(moved, pointer, size < held ? size : held);
        free(pointer);
    }
    return moved;
}
