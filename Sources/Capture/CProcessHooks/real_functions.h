#pragma once
// libc's own functions, behind the interposed ones: cph_real_NAME for each that interposed_by_crashkit.def forwards.

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

#include "real_sigaction.h"

#pragma GCC visibility push(hidden)

/// Whether the next _exit may be a sanitizer's, which runs functions of its own first. Async-signal-safe.
extern bool cph_has_sanitizer;

typedef int cph_mask_function(int, const sigset_t *, sigset_t *);
typedef int cph_epoll_pwait2_function(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);

/// Async-signal-safe once cph_real_functions_find has run; NULL before, and if libc has no such function.
#define FORWARDED(type, name) extern type *cph_real_##name;
#include "interposed_by_crashkit.def"

#pragma GCC visibility pop
