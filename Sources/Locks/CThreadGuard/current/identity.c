// The current thread, queue and task. Ordinary libc and libdispatch.

#include "identity.h"

#include <stddef.h>
#include <sys/prctl.h>

#include "CGround/own_threads.h"
#include "CGround/syscalls.h"

// From <dispatch/queue.h>, which lies inside the toolchain: a null queue stands for the current one. Weak, for a
// program of C has no libdispatch.
extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));

const char *ctg_current_queue_label(void) { return dispatch_queue_get_label ? dispatch_queue_get_label(NULL) : ""; }

void ctg_current_thread_name(char name[16]) {
  name[0] = 0;
  prctl(PR_GET_NAME, name);
}

// Also in a build without checks, which has no ctg_thread_id.
int ctg_current_thread_id(void) { return (int)cgr_syscall0(SYS_gettid); }

void ctg_begin_own_thread(const char *name) {
  prctl(PR_SET_NAME, name);
  cgr_own_thread_begins(CGR_OF_THREADGUARD);
}
