#pragma once
// Facts about the machine and the process, read when a report is made. Async-signal-safe.

#include <stdint.h>

#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// The processor in the Swift runtime's words: what a report's `architecture` says.
#if defined(__x86_64__)
#define CRP_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define CRP_ARCHITECTURE "arm64"
#endif

/// "Linux (Debian GNU/Linux 12 (bookworm))"
void crp_host_platform(cgr_text *text);

/// A value of /etc/os-release without its quotes; empty if it is not there.
void crp_host_os_release(const char *key, cgr_text *text);

/// How long this process has run; 0 if that cannot be read.
uint64_t crp_process_uptime_ns(void);

typedef struct crp_memory_use {
  uint64_t resident, peak, virtual_size;  // bytes; 0 if unknown
  uint64_t limit;                         // the smallest of cgroup and RLIMIT_AS; 0 if there is none
} crp_memory_use;
crp_memory_use crp_process_memory(void);

/// The `limit` alone.
uint64_t crp_memory_limit(void);

unsigned crp_host_cores(void);
uint64_t crp_host_memory(void);

#pragma GCC visibility pop
