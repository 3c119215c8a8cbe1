// What a program asks for: a report of now. Ordinary code of a living process.

#include "live_capture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "CSecrets.h"
#include "CGround/own_ids.h"
#include "CGround/utf8.h"
#include "live/live_report.h"
#include "CGround/memory.h"
#include "CGround/own_threads.h"
#include "CGround/procfile.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

// --- A capture -------------------------------------------------------------------------------------------------

typedef struct capture_request {
  const char *kind;
  const char *description;
  size_t length;
  const void *error;   // NULL if it is about none
  const void *caller;  // the outermost function that says nothing of the program returns there
} capture_request;

static void capture(const capture_request *request, ck_live_result *result) {
  memset(result, 0, sizeof *result);
  ck_report *report = ck_live_report_shared(&result->error);
  if (!report) return;
  ck_live_lock();
  report->description = CGR_TEXT(report->description_bytes);
  char room[sizeof report->description_bytes + 1];  // one more than is kept, so that it shows what was cut
  csec_safe_text safe = csec_without_secrets(request->description, request->length, room, sizeof room);
  report->description.size =
      cgr_copy_cut(report->description_bytes, safe.bytes, safe.size, sizeof report->description_bytes);
  bool done = ck_live_take_all(report, request->kind, request->caller);
  report->error = (uintptr_t)request->error;
  if (done)
    ck_live_write(report, false, result);
  else
    result->error = CK_LIVE_CRASHING;
  ck_live_unlock();
}

void ck_capture(const char *message, size_t length, ck_live_result *result) {
  capture_request request = {"capture", message, length, NULL, __builtin_return_address(0)};
  capture(&request, result);
}

void ck_capture_error(const void *error, const char *description, size_t length, ck_live_result *result) {
  capture_request request = {"error", description, length, error, __builtin_return_address(0)};
  capture(&request, result);
}

// --- What the detector asks ------------------------------------------------------------------------------------

bool ck_is_traced(void) {
  char buffer[2048];
  if (cgr_file_read("/proc/self/status", buffer, sizeof buffer) <= 0) return false;
  const char *tracer = strstr(buffer, "\nTracerPid:\t");
  return tracer && atoi(tracer + strlen("\nTracerPid:\t")) != 0;
}

int ck_thread_id(void) { return (int)cgr_thread_id(); }

void ck_thread_own_name(char name[16]) { cgr_syscall2(SYS_prctl, PR_GET_NAME, name); }

void ck_begin_own_thread(const char *name) {
  cgr_syscall2(SYS_prctl, PR_SET_NAME, name);
  cgr_own_thread_begins(CGR_OF_CRASHKIT);
}

void ck_end_own_thread(void) { cgr_own_thread_ends(); }

bool ck_read_word(const void *address, uint64_t *word) {
  return cgr_memory_read((uintptr_t)address, word, sizeof *word) == sizeof *word;
}

void ck_swift_work_begins(void) { ck_live_work_begins(); }
void ck_swift_work_ends(void) { ck_live_work_ends(); }
