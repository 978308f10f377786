/* Writing on the screen (of ISO C 7.21). There are no files: fopen returns NULL, and stdin is at its end. */

#ifndef RETROSIM_STDIO_H
#define RETROSIM_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)
#define BUFSIZ 256
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

typedef struct retrosim_file FILE;
extern FILE retrosim_screen, retrosim_nothing;
#define stdin (&retrosim_nothing)
#define stdout (&retrosim_screen)
#define stderr (&retrosim_screen)

/* Conversions d i u o x X c s p n f F e E g G %, with flags, width, precision, and hh h l ll z t j. Digits of floating
   point are exact, rounded to nearest. */
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list arguments);
int vfprintf(FILE *file, const char *format, va_list arguments);
int vsprintf(char *to, const char *format, va_list arguments);
int vsnprintf(char *to, size_t size, const char *format, va_list arguments);

int putchar(int character);
int putc(int character, FILE *file);
int fputc(int character, FILE *file);
int puts(const char *text);
int fputs(const char *text, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fflush(FILE *file);
void perror(const char *text);

FILE *fopen(const char *name, const char *mode);
FILE *freopen(const char *name, const char *mode, FILE *file);
int fclose(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
int getchar(void);
int getc(FILE *file);
int fgetc(FILE *file);
int ungetc(int character, FILE *file);
char *fgets(char *to, int size, FILE *file);
int feof(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int fseek(FILE *file, long offset, int origin);
long ftell(FILE *file);

#endif
