/* The screen as a file, and files that are not there. */

#include "services.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WRITTEN = 4096 };

struct retrosim_file {
    int is_at_end;
};

FILE retrosim_screen, retrosim_nothing;

size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    const char *text = from;
    size_t left = size * count;

    if (file != stdout)
        return 0;
    while (left) {
        size_t part = left < MAX_WRITTEN ? left : MAX_WRITTEN;

        service_write(text, part);
        text += part;
        left -= part;
    }
    return count;
}

int fputs(const char *text, FILE *file)
{
    size_t size = strlen(text);

    return fwrite(text, 1, size, file) == size ? 0 : EOF;
}

int puts(const char *text)
{
    return fputs(text, stdout) < 0 ? EOF : putchar('\n');
}

int fputc(int character, FILE *file)
{
    unsigned char byte = character;

    return fwrite(&byte, 1, 1, file) ? byte : EOF;
}

int putc(int character, FILE *file) { return fputc(character, file); }
int putchar(int character) { return fputc(character, stdout); }
int fflush(FILE *file) { return (void)file, 0; }

void perror(const char *text)
{
    if (text && *text)
        printf("%s: ", text);
    printf("%s\n", strerror(errno));
}

char *strerror(int error)
{
    switch (error) {
    case 0:
        return "no error";
    case ENOENT:
        return "no such file";
    case ENOMEM:
        return "out of memory";
    case EINVAL:
        return "bad argument";
    case EDOM:
        return "outside the domain of the function";
    case ERANGE:
        return "out of range";
    default:
        return "error";
    }
}

FILE *fopen(const char *name, const char *mode)
{
    (void)name, (void)mode;
    errno = ENOENT;
    return NULL;
}

FILE *freopen(const char *name, const char *mode, FILE *file)
{
    (void)file;
    return fopen(name, mode);
}

int fgetc(FILE *file)
{
    file->is_at_end = 1;
    return EOF;
}

int getc(FILE *file) { return fgetc(file); }
int getchar(void) { return fgetc(stdin); }
int ungetc(int character, FILE *file) { return (void)character, (void)file, EOF; }

char *fgets(char *to, int size, FILE *file)
{
    (void)to, (void)size;
    fgetc(file);
    return NULL;
}

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    (void)to, (void)size, (void)count;
    fgetc(file);
    return 0;
}

int fclose(FILE *file) { return (void)file, 0; }
int feof(FILE *file) { return file->is_at_end; }
int ferror(FILE *file) { return (void)file, 0; }
void clearerr(FILE *file) { file->is_at_end = 0; }
int fseek(FILE *file, long offset, int origin) { return (void)file, (void)offset, (void)origin, -1; }
long ftell(FILE *file) { return (void)file, -1; }
