// System calls that Swift's Glibc module does not show.
#ifndef CLINUXCALLS_SHIM_H
#define CLINUXCALLS_SHIM_H

#include <sys/prctl.h>
#include <sys/xattr.h>

// No core is dumped of this process from now on, wherever the kernel would send it.
static inline int linux_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#endif
