/* Functions of math.h for float: those for double, rounded once more. */

#include <math.h>

#define OF_ONE(name)                                                                                                   \
    float name##f(float x)                                                                                             \
    {                                                                                                                  \
        return name((double)x);                                                                                        \
    }
#define OF_TWO(name)                                                                                                   \
    float name##f(float x, float y)                                                                                    \
    {                                                                                                                  \
        return name((double)x, (double)y);                                                                             \
    }

OF_ONE(fabs)
OF_ONE(floor)
OF_ONE(ceil)
OF_ONE(trunc)
OF_ONE(round)
OF_ONE(sqrt)
OF_ONE(exp)
OF_ONE(log)
OF_ONE(log2)
OF_ONE(log10)
OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan)
OF_ONE(asin)
OF_ONE(acos)
OF_ONE(atan)
OF_TWO(fmin)
OF_TWO(fmax)
OF_TWO(fmod)
OF_TWO(pow)
OF_TWO(atan2)

float ldexpf(float x, int exponent)
{
    return ldexp(x, exponent);
}
