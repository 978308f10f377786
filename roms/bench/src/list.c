/* Linked lists: built in random order, walked, reversed, sorted by merging, thinned out. */

#include "bench.h"

struct node {
    struct node *next;
    s16 key, value;
};

enum { kNodes = 400, kWalks = 20 };

static struct node gNodes[kNodes];

static SEPARATE struct node *build(u32 seed)
{
    struct node *head = 0, *before;
    s32 i;

    for (i = 0; i < kNodes; i++) {
        struct node *node = &gNodes[i * 37 % kNodes];

        node->key = next_random(&seed) >> 17;
        node->value = i;
        if (!head || seed >> 31) {
            node->next = head;
            head = node;
        } else {
            before = head->next ? head->next : head;
            node->next = before->next;
            before->next = node;
        }
    }
    return head;
}

static SEPARATE struct node *reverse(struct node *head)
{
    struct node *done = 0, *next;

    for (; head; head = next) {
        next = head->next;
        head->next = done;
        done = head;
    }
    return done;
}

static SEPARATE struct node *find(struct node *head, s16 key)
{
    while (head && head->key != key)
        head = head->next;
    return head;
}

static struct node *merge(struct node *left, struct node *right)
{
    struct node *head, **end = &head;

    while (left && right)
        if (left->key <= right->key) {
            *end = left;
            end = &left->next;
            left = left->next;
        } else {
            *end = right;
            end = &right->next;
            right = right->next;
        }
    *end = left ? left : right;
    return head;
}

static SEPARATE struct node *merge_sort(struct node *head, s32 count)
{
    struct node *middle = head, *right;
    s32 half = count / 2, i;

    if (count < 2)
        return head;
    for (i = 1; i < half; i++)
        middle = middle->next;
    right = middle->next;
    middle->next = 0;
    return merge(merge_sort(head, half), merge_sort(right, count - half));
}

static SEPARATE u32 walk(const struct node *head, u32 sum)
{
    for (; head; head = head->next)
        sum = mix(sum, (u32)head->key << 16 ^ (u16)head->value);
    return sum;
}

u32 list(void)
{
    struct node *head = build(4), **link;
    u32 sum = walk(head, 0), seed = 5;
    s32 i;

    for (i = 0; i < kWalks; i++) {
        head = reverse(head);
        sum = mix(sum, find(head, next_random(&seed) >> 17) ? 1 : find(head, gNodes[i].key)->value);
    }
    head = merge_sort(head, kNodes);
    sum = walk(head, sum);
    for (link = &head; *link;)
        if ((*link)->key & 1)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    return walk(head, sum);
}
