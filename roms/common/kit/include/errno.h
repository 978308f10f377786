/* What went wrong last (ISO C 7.5). */

#ifndef RETROSIM_ERRNO_H
#define RETROSIM_ERRNO_H

extern int errno;

#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define EINVAL 22
#define EDOM 33
#define ERANGE 34
#define EILSEQ 84

#endif
