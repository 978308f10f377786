/* A jump that reaches anywhere, as GNU as makes of `jra` to a global symbol. */
#ifdef __mc68040__
#define FAR_JUMP(target) bra.l target
#else
#define FAR_JUMP(target) jmp (target).l
#endif
