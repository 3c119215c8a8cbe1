// Reports of hangs. Ordinary code of a living process.

#include <string.h>
#include <time.h>

#include "CGround/clock.h"
#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "live/live_report.h"
#include "live_capture.h"
#include "processor/settings.h"
#include "record/region.h"
#include "report/hang.h"
#include "stack/swift_async.h"

struct ck_hang_report {
  ck_report report;  // first: it is opened as one
  ck_hang hang;
  bool written;
};

// How many hangs last in this process: a forked child begins anew. Under the lock.
static struct {
  int process;
  size_t count;
} under_way;

static size_t *hangs_under_way(void) {
  int process = (int)cgr_process_id();
  if (under_way.process != process) under_way.count = 0;
  under_way.process = process;
  return &under_way.count;
}

ck_hang_report *ck_hang_open(void) {
  if (!ck_current_settings.enabled) return NULL;
  ck_hang_report *hang = (ck_hang_report *)(void *)ck_live_report_open(sizeof *hang);
  if (hang) hang->report.hang = &hang->hang;
  return hang;
}

void ck_hang_close(ck_hang_report *hang) { cgr_unmap_apart(hang, sizeof *hang); }

// --- The threads that were to run it ---------------------------------------------------------------------------

// The kernel's clock of a thread's processor time, by the thread's id.
static uint64_t processor_time(int thread) {
  struct timespec time;
  long clock = (long)(((unsigned)~thread << 3) | 6u);
  if (cgr_syscall2(SYS_clock_gettime, (int)clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void add_thread(ck_hang *hang, int thread) {
  if (hang->thread_count == CK_HANG_THREADS) return;
  hang->threads[hang->thread_count].id = thread;
  hang->threads[hang->thread_count].first_ns = hang->threads[hang->thread_count].last_ns = processor_time(thread);
  ++hang->thread_count;
}

// A thread that ended meanwhile keeps what was seen last.
static void look_at_threads(ck_hang *hang) {
  for (size_t i = 0; i < hang->thread_count; ++i) {
    uint64_t now = processor_time(hang->threads[i].id);
    if (now > hang->threads[i].last_ns) hang->threads[i].last_ns = now;
  }
}

// Returns false if a pool has threads, and none of them runs a job: it is the machine that is slow.
static bool find_threads(ck_hang_report *hang, const char *name) {
  const ck_threads *threads = &hang->report.threads;
  size_t size = name ? cgr_length(name) : 0;
  size_t named = 0;
  uint64_t function = size > 0 ? ck_swift_job_function() : 0;
  for (size_t i = 0; size > 0 && i < threads->count; ++i) {
    const ck_thread *thread = &threads->entries[i];
    if (thread->name_size != size || memcmp(thread->name, name, size) != 0) continue;
    ++named;
    if (ck_live_stack_holds(&hang->report, &thread->stack, function)) add_thread(&hang->hang, thread->tid);
  }
  if (hang->hang.thread > 0) add_thread(&hang->hang, hang->hang.thread);
  if (hang->hang.thread == 0 && hang->hang.thread_count > 0) hang->hang.thread = hang->hang.threads[0].id;
  return named == 0 || hang->hang.thread_count > 0;
}

// --- Samples ---------------------------------------------------------------------------------------------------

static ck_hang_sample_record *next_sample(ck_hang *hang) {
  hang->duration_ns = cgr_monotonic_ns() - hang->started_ns;
  if (hang->sample_count == CK_HANG_SAMPLES) {
    ++hang->omitted_samples;
    return NULL;
  }
  ck_hang_sample_record *sample = &hang->samples[hang->sample_count];
  memset(&sample->stack, 0, sizeof sample->stack);
  sample->after_ns = hang->duration_ns;
  sample->stack.addresses = sample->addresses;
  sample->stack.flags = sample->flags;
  return sample;
}

// The first sample of the hung thread is the one that was taken with all others.
static void keep_first(ck_hang_report *hang) {
  ck_threads *threads = &hang->report.threads;
  for (size_t i = 0; i < threads->count; ++i) {
    const ck_stack *stack = &threads->entries[i].stack;
    if (threads->entries[i].tid != hang->hang.thread || stack->count == 0) continue;
    ck_hang_sample_record *sample = next_sample(&hang->hang);
    memcpy(sample->addresses, stack->addresses, stack->count * sizeof *stack->addresses);
    memcpy(sample->flags, stack->flags, stack->count);
    sample->stack = *stack;
    sample->stack.addresses = sample->addresses;
    sample->stack.flags = sample->flags;
    sample->captured_by = threads->entries[i].captured_by;
    ++hang->hang.sample_count;
    // Whom the report is about comes first.
    ck_threads_put_first(threads, i);
    return;
  }
}

bool ck_hang_sample(ck_hang_report *hang) {
  ck_hang *record = &hang->hang;
  ck_hang_sample_record *sample = next_sample(record);
  record->observed_ns = record->duration_ns - (record->sample_count > 0 ? record->samples[0].after_ns : 0);
  look_at_threads(record);
  if (!sample || record->thread <= 0) return false;
  ck_live_lock();
  sample->captured_by = ck_live_take_one(&hang->report, record->thread, &sample->stack);
  bool taken = sample->captured_by != CK_BY_NONE && sample->stack.count > 0;
  if (taken) ++record->sample_count;
  ck_live_unlock();
  return taken;
}

void ck_hang_forget_sample(ck_hang_report *hang) {
  ck_live_lock();
  --hang->hang.sample_count;
  ck_live_unlock();
}

// --- A report --------------------------------------------------------------------------------------------------

static void write_hang(ck_hang_report *hang, ck_live_result *result) {
  ck_report *report = &hang->report;
  // The time that the first sample took belongs to the report; that of the hang does not.
  uint64_t taken = report->captured_ns - report->started_ns;
  report->captured_ns = cgr_monotonic_ns();
  report->started_ns = report->captured_ns - taken;
  ck_live_write(report, hang->written, result);
  hang->written = hang->written || result->error == 0;
}

static void begin(ck_hang_report *hang, const ck_hang_facts *facts) {
  ck_hang *record = &hang->hang;
  record->sample_count = record->omitted_samples = record->thread_count = 0;
  record->subject = facts->subject;
  cgr_text name = CGR_TEXT(record->name);
  cgr_text_string(&name, facts->name);
  cgr_text_terminated(&name);
  record->thread = facts->thread;
  record->threshold_ns = facts->threshold_ns;
  record->started_ns = facts->started_ns;
  record->observed_ns = 0;
  record->ended = record->recovered = false;
  hang->written = false;
  cgr_text *description = &hang->report.description;
  *description = CGR_TEXT(hang->report.description_bytes);
  cgr_text_string(description, facts->words);
  cgr_text_string(description, " did not run");
}

bool ck_hang_begin(ck_hang_report *hang, const ck_hang_facts *facts, ck_live_result *result) {
  memset(result, 0, sizeof *result);
  begin(hang, facts);
  bool is_hang = true;
  ck_live_lock();
  const char *kind = facts->subject == CK_HANG_POOL ? "starvedPool" : "hang";
  if (ck_live_take_all(&hang->report, kind, __builtin_return_address(0))) {
    hang->hang.duration_ns = cgr_monotonic_ns() - hang->hang.started_ns;
    is_hang = find_threads(hang, facts->thread_name);
  } else {
    result->error = CK_LIVE_CRASHING;
  }
  if (is_hang && (*hangs_under_way())++ == 0) ck_region_set_hang(facts->started_ns);
  if (is_hang && result->error == 0) {
    keep_first(hang);
    write_hang(hang, result);
  }
  ck_live_unlock();
  return is_hang;
}

void ck_hang_end(ck_hang_report *hang, uint64_t duration_ns, bool recovered, ck_live_result *result) {
  hang->hang.duration_ns = duration_ns;
  hang->hang.ended = true;
  hang->hang.recovered = recovered;
  ck_live_lock();
  if (--*hangs_under_way() == 0) ck_region_set_hang(0);
  write_hang(hang, result);
  ck_live_unlock();
}
