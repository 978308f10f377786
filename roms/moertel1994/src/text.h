/* Text on the console of the machine, as a small part of what `cout` does. */

#ifndef TEXT_H
#define TEXT_H

#include "../../common/isa.h"

void Write(const char *text);
void WriteNumber(u32 number);

/* A fraction with two digits after the point. */
void WriteFraction(u32 numerator, u32 denominator);

#endif
