// The report of a leaked continuation. Ordinary code of a living process.

#include "live/leaked_continuation.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "CGround/descriptors.h"
#include "CGround/hash.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CReportParts/harmless.h"
#include "live/live_report.h"
#include "processor/settings.h"

#define FUNCTIONS_MAX 64
#define NAME_SHOWN 256

static _Atomic uint64_t known[FUNCTIONS_MAX];

static uint64_t key_of(const char *function, size_t size) {
  uint64_t key = CGR_HASH_EMPTY;
  for (size_t i = 0; i < size; ++i) key = cgr_hash_add(key, (uint8_t)function[i]);
  return key ? key : 1;
}

// Whether it is the first of its function. Of more functions than there is room for, none is.
static bool is_new(uint64_t key) {
  for (int i = 0; i < FUNCTIONS_MAX; ++i) {
    uint64_t found = 0;
    if (atomic_compare_exchange_strong(&known[i], &found, key)) return true;
    if (found == key) return false;
  }
  return false;
}

static void say(const cgr_text *description, const char *path) {
  char bytes[NAME_SHOWN + 768];
  cgr_text line = CGR_TEXT(bytes);
  cgr_text_string(&line, "CrashKit[");
  cgr_text_decimal(&line, cgr_process_id());
  cgr_text_string(&line, "]: ");
  crp_text_harmless(&line, description->bytes, description->size);
  cgr_text_string(&line, ": ");
  crp_text_harmless(&line, path, cgr_length(path));
  cgr_text_string(&line, "\n");
  if (!line.cut && ck_current_settings.summary) cgr_print("CrashKit", line.bytes, line.size);
}

void ck_leaked_continuation(const char *function, size_t size, const void *caller) {
  if (!is_new(key_of(function, size))) return;
  ck_live_result result;
  ck_report *report = ck_live_report_shared(&result.error);
  if (!report) return;
  char words[NAME_SHOWN + 64];
  cgr_text description = CGR_TEXT(words);
  cgr_text_bytes(&description, function, size < NAME_SHOWN ? size : NAME_SHOWN);
  if (size > NAME_SHOWN) cgr_text_string(&description, "…");
  cgr_text_string(&description, " leaked its continuation without resuming it");
  ck_live_lock();
  report->description = CGR_TEXT(report->description_bytes);
  cgr_text_bytes(&report->description, description.bytes, description.size);
  bool done = ck_live_take_all(report, "leakedContinuation", caller);
  if (done) ck_live_write(report, false, &result);
  ck_live_unlock();
  if (done && result.error == 0 && result.path[0]) say(&description, result.path);
}
