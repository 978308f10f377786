/* What the samples of compilers' formats are made of (tools/make_samples.py): relocations of code and data, a common
   symbol, a function that the compiler calls by itself, and one that is defined nowhere. */

typedef unsigned char u8;

int common_word;
static int calls;
int table[4] = {1, 2, 3, 4};
const char name[] = "solid";

int count_solid(const u8 *pixels, int count)
{
    int found = 0;

    calls++;
    while (count-- > 0)
        found += *pixels++ != 0;
    return found;
}

int divide(int a, int b)
{
    return a / b + table[a & 3] + name[b & 3] + calls + common_word;
}

int through(int (*routine)(int, int))
{
    return routine(100, 7);
}

int both(void)
{
    return through(divide);
}

long long wide(long long a, long long b)
{
    return a / b;
}

extern void draw(int);

void show(void)
{
    draw(3);
}
