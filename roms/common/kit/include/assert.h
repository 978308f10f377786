/* ISO C 7.2: an assertion that fails writes itself on the screen and ends the program. */

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_failed(#condition, __FILE__, __LINE__))
#endif

#ifndef RETROSIM_ASSERT_H
#define RETROSIM_ASSERT_H

_Noreturn void __assert_failed(const char *condition, const char *file, int line);
#ifndef __cplusplus
#define static_assert _Static_assert
#endif

#endif
