/* There are no signals: the type alone (ISO C 7.14). */

#ifndef RETROSIM_SIGNAL_H
#define RETROSIM_SIGNAL_H

typedef int sig_atomic_t;

#endif
