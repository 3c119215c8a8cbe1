#pragma once
// The process's shortage of memory, by the kernel's counters of its control group or of the machine.

#include "record_types.h"

#pragma GCC visibility push(hidden)

#define CK_SHORTAGE_UNKNOWN UINT64_MAX

/// Each is CK_SHORTAGE_UNKNOWN if the kernel does not say.
typedef struct ck_memory_shortage {
  // Since the group was made, how often it: went over its soft limit, met its hard one, found nothing to reclaim then,
  // and lost a process to the kernel. Version 1 of control groups counts the second and the last one alone.
  uint64_t high, max, oom, oom_kill;
  // In hundredths of a percent of the last ten seconds: some tasks waited for memory, and all did.
  uint64_t some_waited, all_waited;
} ck_memory_shortage;

/// `evidence` says where the counters of the process's group are. Async-signal-safe: reads of small files.
void ck_memory_shortage_read(const ck_evidence *evidence, ck_memory_shortage *shortage);

#pragma GCC visibility pop
