#pragma once
// Facts about the machine and the process, read when a report is made. Async-signal-safe.

#include <stdint.h>

#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// The processor in the Swift runtime's words: what a report's `architecture` says.
#if defined(__x86_64__)
#define CK_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define CK_ARCHITECTURE "arm64"
#endif

/// "Linux (Debian GNU/Linux 12 (bookworm))"
void ck_host_platform(ck_text *text);

/// A value of /etc/os-release without its quotes; empty where it is not there.
void ck_host_os_release(const char *key, ck_text *text);

/// How long this process has run; 0 where that cannot be read.
uint64_t ck_process_uptime_ns(void);

typedef struct ck_memory_use {
  uint64_t resident, peak, virtual_size;  // bytes; 0 where unknown
  uint64_t limit;                         // the smallest of cgroup and RLIMIT_AS; 0 where there is none
} ck_memory_use;
ck_memory_use ck_process_memory(void);

/// The `limit` alone.
uint64_t ck_memory_limit(void);

unsigned ck_host_cores(void);
uint64_t ck_host_memory(void);

#pragma GCC visibility pop
