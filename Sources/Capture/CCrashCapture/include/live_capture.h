#pragma once
// Reports of a process that continues. Nothing here is for handlers.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live_result.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a report of all threads, of the kind `capture`, and goes on. From any thread; captures take turns.
void ck_capture(const char *message, size_t length, ck_live_result *result);

/// The same of the kind `error`, about an error of the Swift runtime, which must live until this returns.
void ck_capture_error(const void *error, const char *description, size_t length, ck_live_result *result);

/// The memory of the report of one hang at a time. Used by one thread at a time.
typedef struct ck_hang_report ck_hang_report;

typedef struct ck_hang_facts {
  ck_hang_subject subject;
  const char *name;   // such as the label of a queue
  const char *words;  // what did not run, in words
  int thread;         // the hung thread; 0 if CrashKit cannot know it
  /// Of a pool: what the kernel calls its threads. Those of this name that run a Swift job are hung. Else empty.
  const char *thread_name;
  uint64_t threshold_ns;
  uint64_t started_ns;  // CLOCK_MONOTONIC: when it was asked to run something
} ck_hang_facts;

/// Sets memory aside and learns the loaded images. NULL if there is no memory or nothing is installed.
ck_hang_report *ck_hang_open(void);
void ck_hang_close(ck_hang_report *hang);

/// The first sample, of all threads. Writes a report of a hang that has not ended. Returns false, with no report, if no
/// thread of a pool runs a job: that is no hang.
bool ck_hang_begin(ck_hang_report *hang, const ck_hang_facts *facts, ck_live_result *result);
/// A further sample, of the hung thread alone; no more than CK_HANG_SAMPLES are kept, the others are counted. Whether
/// one more is kept now.
bool ck_hang_sample(ck_hang_report *hang);
/// Takes the sample back that was kept last: the hang was over before it.
void ck_hang_forget_sample(ck_hang_report *hang);
/// Writes the report once more, in the place of the first, with the hang's length and all samples.
void ck_hang_end(ck_hang_report *hang, uint64_t duration_ns, bool recovered, ck_live_result *result);

/// Whether a debugger is attached to the process.
bool ck_is_traced(void);
/// The calling thread's id.
int ck_thread_id(void);
/// The calling thread's name, which ends in a zero.
void ck_thread_own_name(char name[16]);
/// Names the calling thread, of which the kernel keeps 15 bytes, and marks it in reports as CrashKit's own.
void ck_begin_own_thread(const char *name);
/// Takes the mark away, as the thread ends.
void ck_end_own_thread(void);
/// From now on, and until the work ends, a fork waits for what a thread of CrashKit's own does in Swift: at most half a
/// second. A fork that is under way is waited for. Any thread, once for each that works.
void ck_swift_work_begins(void);
/// The work is over, or the thread rests, or the program's own function runs on it. Any thread.
void ck_swift_work_ends(void);
/// Reads a word of this process's memory; false if there is none.
bool ck_read_word(const void *address, uint64_t *word);

/// A word of memory that is there, as another thread last wrote it. Async-signal-safe.
static inline uint64_t ck_load_word(const void *address) {
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
