// What a program asks for: a report of now, and reports of hangs. Ordinary code of a living process.

#include "live_capture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "CGround/clock.h"
#include "report/hang.h"
#include "live/live_report.h"
#include "CGround/memory.h"
#include "CGround/own_threads.h"
#include "CGround/procfile.h"
#include "record/region.h"
#include "processor/settings.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

struct ck_hang_report {
  ck_report report;  // first: it is opened as one
  ck_hang hang;
  bool written;
};

// --- A capture -------------------------------------------------------------------------------------------------

void ck_capture(const char *message, size_t length, ck_live_result *result) {
  memset(result, 0, sizeof *result);
  ck_report *report = ck_live_report_shared(&result->error);
  if (!report) return;
  ck_live_lock();
  report->description = CGR_TEXT(report->description_bytes);
  cgr_text_bytes(&report->description, message, length);
  if (ck_live_take_all(report, "capture", __builtin_return_address(0)))
    ck_live_write(report, false, result);
  else
    result->error = CK_LIVE_CRASHING;
  ck_live_unlock();
}

// --- Hangs -----------------------------------------------------------------------------------------------------

ck_hang_report *ck_hang_open(void) {
  if (!ck_current_settings.enabled) return NULL;
  ck_hang_report *hang = (ck_hang_report *)(void *)ck_live_report_open(sizeof *hang);
  if (hang) hang->report.hang = &hang->hang;
  return hang;
}

void ck_hang_close(ck_hang_report *hang) { munmap(hang, sizeof *hang); }

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
    ++hang->hang.sample_count;
    // Whom the report is about comes first.
    ck_thread hung = threads->entries[i];
    threads->entries[i] = threads->entries[0];
    threads->entries[0] = hung;
    return;
  }
}

static void write_hang(ck_hang_report *hang, ck_live_result *result) {
  ck_report *report = &hang->report;
  // The time that the first sample took belongs to the report; that of the hang does not.
  uint64_t taken = report->captured_ns - report->started_ns;
  report->captured_ns = cgr_monotonic_ns();
  report->started_ns = report->captured_ns - taken;
  ck_live_write(report, hang->written, result);
  hang->written = hang->written || result->error == 0;
}

void ck_hang_begin(ck_hang_report *hang, const ck_hang_facts *facts, ck_live_result *result) {
  memset(result, 0, sizeof *result);
  ck_hang *record = &hang->hang;
  record->sample_count = record->omitted_samples = 0;
  cgr_text queue = CGR_TEXT(record->queue);
  cgr_text_string(&queue, facts->queue);
  cgr_text_terminated(&queue);
  record->thread = facts->thread;
  record->threshold_ns = facts->threshold_ns;
  record->started_ns = facts->started_ns;
  record->ended = record->recovered = false;
  hang->written = false;
  ck_region_set_hang(facts->started_ns);
  cgr_text *description = &hang->report.description;
  *description = CGR_TEXT(hang->report.description_bytes);
  cgr_text_string(description, facts->subject);
  cgr_text_string(description, " did not run");
  ck_live_lock();
  if (ck_live_take_all(&hang->report, "hang", __builtin_return_address(0))) {
    record->duration_ns = cgr_monotonic_ns() - record->started_ns;
    keep_first(hang);
    write_hang(hang, result);
  } else {
    result->error = CK_LIVE_CRASHING;
  }
  ck_live_unlock();
}

bool ck_hang_sample(ck_hang_report *hang) {
  ck_hang_sample_record *sample = next_sample(&hang->hang);
  if (!sample || hang->hang.thread <= 0) return false;
  ck_live_lock();
  bool taken = ck_live_take_one(&hang->report, hang->hang.thread, &sample->stack);
  if (taken) ++hang->hang.sample_count;
  ck_live_unlock();
  return taken;
}

void ck_hang_forget_sample(ck_hang_report *hang) {
  ck_live_lock();
  --hang->hang.sample_count;
  ck_live_unlock();
}

void ck_hang_end(ck_hang_report *hang, uint64_t duration_ns, bool recovered, ck_live_result *result) {
  ck_region_set_hang(0);
  hang->hang.duration_ns = duration_ns;
  hang->hang.ended = true;
  hang->hang.recovered = recovered;
  ck_live_lock();
  write_hang(hang, result);
  ck_live_unlock();
}

// --- What the detector asks ------------------------------------------------------------------------------------

bool ck_is_traced(void) {
  char buffer[2048];
  if (cgr_file_read("/proc/self/status", buffer, sizeof buffer) <= 0) return false;
  const char *tracer = strstr(buffer, "\nTracerPid:\t");
  return tracer && atoi(tracer + strlen("\nTracerPid:\t")) != 0;
}

int ck_thread_id(void) { return (int)cgr_syscall0(SYS_gettid); }

void ck_begin_own_thread(const char *name) {
  cgr_syscall2(SYS_prctl, PR_SET_NAME, name);
  cgr_own_thread_begins(CGR_OF_CRASHKIT);
}

void ck_end_own_thread(void) { cgr_own_thread_ends(); }

bool ck_read_word(const void *address, uint64_t *word) {
  return cgr_memory_read((uintptr_t)address, word, sizeof *word) == sizeof *word;
}
