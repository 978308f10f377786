/* Memory, numbers, sorting, the end of a program (ISO C 7.22). */

#ifndef RETROSIM_STDLIB_H
#define RETROSIM_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7FFFFFFF

typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;

/* All memory behind the program and above 0x100000, to 0x7FFFFF; blocks are aligned to 8 bytes. */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

int abs(int number);
long labs(long number);
long long llabs(long long number);
div_t div(int number, int divisor);
ldiv_t ldiv(long number, long divisor);
lldiv_t lldiv(long long number, long long divisor);

int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end); /* rounded to nearest */
float strtof(const char *text, char **end);

int rand(void);
void srand(unsigned seed);

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(
    const void *key, const void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

int atexit(void (*function)(void));
_Noreturn void exit(int status);
_Noreturn void _Exit(int status);
_Noreturn void abort(void);  /* exit status 134 */
char *getenv(const char *name); /* always NULL */

#endif
