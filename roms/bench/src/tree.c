/* A binary search tree: insertion, look-up, removal, walks by recursion and with a stack. */

#include "bench.h"

struct node {
    struct node *left, *right;
    u32 key;
    u16 count;
};

enum { kNodes = 300, kLookups = 700, kRemoved = 100, kStack = 64 };

static struct node gNodes[kNodes];
static s32 gUsed;

static SEPARATE struct node **place_of(struct node **link, u32 key)
{
    while (*link && (*link)->key != key)
        link = key < (*link)->key ? &(*link)->left : &(*link)->right;
    return link;
}

static void insert(struct node **root, u32 key)
{
    struct node **link = place_of(root, key);

    if (!*link) {
        struct node *node = &gNodes[gUsed++];

        node->left = node->right = 0;
        node->key = key;
        node->count = 0;
        *link = node;
    }
    (*link)->count++;
}

static SEPARATE void discard(struct node **link)
{
    struct node *node = *link, **least;

    if (!node->left)
        *link = node->right;
    else if (!node->right)
        *link = node->left;
    else {
        for (least = &node->right; (*least)->left;)
            least = &(*least)->left;
        node->key = (*least)->key;
        node->count = (*least)->count;
        *least = (*least)->right;
    }
}

static SEPARATE s32 depth(const struct node *node)
{
    s32 left, right;

    if (!node)
        return 0;
    left = depth(node->left);
    right = depth(node->right);
    return 1 + (left > right ? left : right);
}

static SEPARATE u32 walk(const struct node *node, u32 sum)
{
    const struct node *stack[kStack], **top = stack;

    for (;;) {
        for (; node; node = node->left)
            *top++ = node;
        if (top == stack)
            return sum;
        node = *--top;
        sum = mix(sum, node->key + node->count);
        node = node->right;
    }
}

u32 tree(void)
{
    struct node *root = 0, **link;
    u32 seed = 6, sum, again = 6;
    s32 i;

    gUsed = 0;
    for (i = 0; i < kNodes; i++)
        insert(&root, next_random(&seed) >> 20);
    sum = mix(walk(root, 0), depth(root));
    for (i = 0; i < kLookups; i++) {
        link = place_of(&root, next_random(&seed) >> 20);
        sum += *link ? (*link)->count : 7;
    }
    for (i = 0; i < kRemoved; i++) {
        link = place_of(&root, next_random(&again) >> 20);
        if (*link)
            discard(link);
    }
    return walk(root, mix(sum, depth(root)));
}
