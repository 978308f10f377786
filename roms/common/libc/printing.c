/* printf and its kin: text goes to the screen by `write_text`, at once, or into memory. */

#include "decimal.h"
#include "services.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 256, MAX_WRITTEN = 4096, MAX_EXPONENT = 0x7FF, FRACTION = 52 };

/* Where characters go. `is_screen`: room is that of a buffer, which is written when it is full. */
struct sink {
    char *to;
    size_t room, used, total;
    int is_screen;
};

enum { LEFT = 1, PLUS = 2, SPACE = 4, OTHER_FORM = 8, ZEROS = 16 };

struct conversion {
    int flags, width, precision; /* of the precision: -1 for none */
    char kind;
};

static void write_out(const char *text, size_t size)
{
    for (; size > MAX_WRITTEN; text += MAX_WRITTEN, size -= MAX_WRITTEN)
        service_write(text, MAX_WRITTEN);
    if (size)
        service_write(text, size);
}

static void put(struct sink *sink, const char *text, size_t size)
{
    sink->total += size;
    while (size) {
        size_t part = sink->room - sink->used;

        if (!part && !sink->is_screen)
            return;
        if (!part) {
            write_out(sink->to, sink->used);
            sink->used = 0;
            continue;
        }
        part = part < size ? part : size;
        memcpy(sink->to + sink->used, text, part);
        sink->used += part;
        text += part;
        size -= part;
    }
}

static void repeat(struct sink *sink, char character, int count)
{
    while (count-- > 0)
        put(sink, &character, 1);
}

/* Put a number: sign and prefix, zeros up to the width if asked for, and `zeros` more, then its text. */
static void put_number(
    struct sink *sink, const struct conversion *how, const char *prefix, int zeros, const char *text, int size, int more)
{
    int length = strlen(prefix), pad = how->width - length - zeros - size - more;

    if (pad > 0 && how->flags & ZEROS && !(how->flags & LEFT)) {
        zeros += pad;
        pad = 0;
    }
    if (!(how->flags & LEFT))
        repeat(sink, ' ', pad);
    put(sink, prefix, length);
    repeat(sink, '0', zeros);
    put(sink, text, size);
    repeat(sink, '0', more);
    if (how->flags & LEFT)
        repeat(sink, ' ', pad);
}

static const char *sign_of(int is_negative, int flags)
{
    return is_negative ? "-" : flags & PLUS ? "+" : flags & SPACE ? " " : "";
}

static void put_integer(struct sink *sink, struct conversion how, uint64_t value, int is_negative)
{
    const char *digits = how.kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", *prefix = "";
    unsigned base = how.kind == 'o' ? 8 : (how.kind | 32) == 'x' ? 16 : 10;
    char text[24];
    int at = sizeof text, size;

    if (how.kind == 'd')
        prefix = sign_of(is_negative, how.flags);
    else if (base == 16 && how.flags & OTHER_FORM && value)
        prefix = how.kind == 'X' ? "0X" : "0x";
    for (; value >> 32; value /= base)
        text[--at] = digits[value % base];
    for (uint32_t low = value; low; low /= base)
        text[--at] = digits[low % base];
    size = sizeof text - at;
    if (how.precision >= 0)
        how.flags &= ~ZEROS;
    else
        how.precision = 1;
    if (base == 8 && how.flags & OTHER_FORM && how.precision <= size)
        how.precision = size + 1;
    put_number(sink, &how, prefix, how.precision > size ? how.precision - size : 0, text + at, size, 0);
}

/* Digits from a place before or behind the first one on; 0 where there is none. */
static int digits_from(char *to, const struct decimal *number, int first, int count)
{
    for (int i = first; i < first + count; i++)
        *to++ = '0' + (i >= 0 && i < number->count ? number->digits[i] : 0);
    return count;
}

static void put_floating(struct sink *sink, struct conversion how, double value)
{
    union {
        double value;
        uint64_t bits;
    } it = {value};
    const char *prefix = sign_of(it.bits >> 63, how.flags);
    int is_upper = how.kind < 'a', kind = how.kind | 32, precision = how.precision < 0 ? 6 : how.precision;
    int is_general = kind == 'g', behind, size = 0, exponent;
    char text[2 * DIGITS];
    struct decimal number;

    it.bits &= ~(1ull << 63);
    if (it.bits >> FRACTION == MAX_EXPONENT) {
        int is_nan = it.bits << (64 - FRACTION) != 0;

        how.flags &= ~ZEROS;
        put_number(sink, &how, prefix, 0, is_nan ? (is_upper ? "NAN" : "nan") : is_upper ? "INF" : "inf", 3, 0);
        return;
    }
    __decimal_of(&number, it.bits);
    if (is_general)
        precision = precision ? precision - 1 : 0;
    __decimal_round(&number, kind == 'f' ? number.point + precision : precision + 1);
    exponent = number.count ? number.point - 1 : 0;
    if (is_general) {
        kind = exponent < -4 || exponent > precision ? 'e' : 'f';
        precision -= kind == 'f' ? exponent : 0;
        if (!(how.flags & OTHER_FORM)) {
            int used = number.count ? number.count - (kind == 'e' ? 1 : number.point) : 0;

            precision = used < 0 ? 0 : used < precision ? used : precision;
        }
    }
    behind = precision < DIGITS ? precision : DIGITS; /* digits of a number; the rest are zeros */
    if (kind == 'f') {
        if (number.count && number.point > 0)
            size = digits_from(text, &number, 0, number.point);
        else
            text[size++] = '0';
    } else
        size = digits_from(text, &number, 0, 1);
    if (precision || how.flags & OTHER_FORM)
        text[size++] = '.';
    size += digits_from(text + size, &number, kind == 'f' ? (number.count ? number.point : 0) : 1, behind);
    if (kind == 'e') {
        int ten = exponent < 0 ? -exponent : exponent;

        text[size++] = is_upper ? 'E' : 'e';
        text[size++] = exponent < 0 ? '-' : '+';
        if (ten > 99)
            text[size++] = '0' + ten / 100;
        text[size++] = '0' + ten / 10 % 10;
        text[size++] = '0' + ten % 10;
    }
    put_number(sink, &how, prefix, 0, text, size, kind == 'f' ? precision - behind : 0);
}

static int number_in(const char **format, va_list *arguments)
{
    int number = 0;

    if (**format == '*') {
        ++*format;
        return va_arg(*arguments, int);
    }
    for (; **format >= '0' && **format <= '9'; ++*format)
        number = 10 * number + **format - '0';
    return number;
}

/* Read an argument of so many bytes. */
static int64_t integer_of(va_list *arguments, int size, int is_signed)
{
    int word;

    if (size == 8)
        return va_arg(*arguments, int64_t);
    word = va_arg(*arguments, int);
    if (is_signed)
        return size == 1 ? (signed char)word : size == 2 ? (short)word : word;
    return size == 1 ? (unsigned char)word : size == 2 ? (unsigned short)word : (unsigned)word;
}

static void format_into(struct sink *sink, const char *format, va_list *arguments)
{
    static const char flags[] = "-+ #0";

    while (*format) {
        size_t plain = strcspn(format, "%");
        struct conversion how = {0, 0, -1, 0};
        const char *text;
        int size = 4;
        int64_t value;

        put(sink, format, plain);
        format += plain;
        if (!*format++)
            return;
        for (; *format && strchr(flags, *format); format++)
            how.flags |= 1 << (strchr(flags, *format) - flags);
        how.width = number_in(&format, arguments);
        if (how.width < 0) {
            how.flags |= LEFT;
            how.width = -how.width;
        }
        if (*format == '.') {
            format++;
            how.precision = number_in(&format, arguments);
        }
        for (; *format && strchr("hlLqjzt", *format); format++)
            size = *format == 'h' ? size / 2 : *format == 'j' || *format == 'q' || (*format == 'l' && format[1] == 'l') ? 8 : size;
        how.kind = *format ? *format++ : '%';
        switch (how.kind) {
        case 'd':
        case 'i':
            how.kind = 'd';
            value = integer_of(arguments, size, 1);
            put_integer(sink, how, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
            break;
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            put_integer(sink, how, integer_of(arguments, size, 0), 0);
            break;
        case 'p':
            how.kind = 'x';
            how.flags |= OTHER_FORM;
            put_integer(sink, how, (uintptr_t)va_arg(*arguments, void *), 0);
            break;
        case 'c': {
            char character = va_arg(*arguments, int);

            how.flags &= ~ZEROS;
            put_number(sink, &how, "", 0, &character, 1, 0);
            break;
        }
        case 's':
            text = va_arg(*arguments, const char *);
            text = text ? text : "(null)";
            how.flags &= ~ZEROS;
            put_number(sink, &how, "", 0, text, strnlen(text, how.precision < 0 ? (size_t)-1 : (size_t)how.precision), 0);
            break;
        case 'n':
            *va_arg(*arguments, int *) = sink->total;
            break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            put_floating(sink, how, va_arg(*arguments, double));
            break;
        default:
            put(sink, &how.kind, 1);
        }
    }
}

int vfprintf(FILE *file, const char *format, va_list arguments)
{
    char line[LINE];
    struct sink sink = {line, LINE, 0, 0, 1};
    va_list copy;

    va_copy(copy, arguments);
    format_into(&sink, format, &copy);
    va_end(copy);
    if (file == stdin)
        return EOF;
    write_out(line, sink.used);
    return sink.total;
}

int vsnprintf(char *to, size_t size, const char *format, va_list arguments)
{
    struct sink sink = {to, size ? size - 1 : 0, 0, 0, 0};
    va_list copy;

    va_copy(copy, arguments);
    format_into(&sink, format, &copy);
    va_end(copy);
    if (size)
        to[sink.used] = 0;
    return sink.total;
}

int vprintf(const char *format, va_list arguments)
{
    return vfprintf(stdout, format, arguments);
}

int vsprintf(char *to, const char *format, va_list arguments)
{
    return vsnprintf(to, (size_t)1 << 30, format, arguments);
}

#define WITH_ARGUMENTS(call)                                                                                           \
    va_list arguments;                                                                                                 \
    int length;                                                                                                        \
                                                                                                                       \
    va_start(arguments, format);                                                                                       \
    length = call;                                                                                                     \
    va_end(arguments);                                                                                                 \
    return length

int printf(const char *format, ...)
{
    WITH_ARGUMENTS(vfprintf(stdout, format, arguments));
}

int fprintf(FILE *file, const char *format, ...)
{
    WITH_ARGUMENTS(vfprintf(file, format, arguments));
}

int sprintf(char *to, const char *format, ...)
{
    WITH_ARGUMENTS(vsprintf(to, format, arguments));
}

int snprintf(char *to, size_t size, const char *format, ...)
{
    WITH_ARGUMENTS(vsnprintf(to, size, format, arguments));
}
