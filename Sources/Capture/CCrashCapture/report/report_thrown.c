// The last errors that were thrown, oldest first, and the one that the report is about.

#include "CGround/memory.h"
#include "report/report_stages.h"
#include "throws/found_throw.h"
#include "throws/throw_table.h"
#include "throws/type_name.h"

#define LISTED_MAX 32

typedef struct choice {
  ck_throw listed[LISTED_MAX];  // by time
  size_t count;
  ck_throw cause;
  ck_throw_known cause_known;
} choice;

static bool is_same(const ck_throw *a, const ck_throw *b) { return a->time == b->time && a->thread == b->thread; }

static void insert(choice *choice, const ck_throw *thrown) {
  if (choice->count == LISTED_MAX) {
    if (thrown->time < choice->listed[0].time) return;
    for (size_t i = 1; i < LISTED_MAX; ++i) choice->listed[i - 1] = choice->listed[i];
    --choice->count;
  }
  size_t place = choice->count++;
  for (; place > 0 && choice->listed[place - 1].time > thrown->time; --place)
    choice->listed[place] = choice->listed[place - 1];
  choice->listed[place] = *thrown;
}

static void choose(choice *choice) {
  ck_throw thrown;
  choice->count = 0;
  for (size_t ring = 0; ring < CK_THROW_RINGS; ++ring)
    for (size_t place = 0; place < CK_THROWS_KEPT; ++place)
      if (ck_throw_read(ring, place, &thrown)) insert(choice, &thrown);
}

// It may be older than all that are listed.
static void add_cause(choice *choice) {
  for (size_t i = 0; i < choice->count; ++i)
    if (is_same(&choice->listed[i], &choice->cause)) return;
  if (choice->count == LISTED_MAX) {
    for (size_t i = 1; i < LISTED_MAX; ++i) choice->listed[i - 1] = choice->listed[i];
    --choice->count;
  }
  for (size_t i = choice->count++; i > 0; --i) choice->listed[i] = choice->listed[i - 1];
  choice->listed[0] = choice->cause;
}

static ck_throw_known find_cause(ck_report *report, ck_throw *cause) {
  const ck_thread *thread = &report->threads.entries[0];
  ck_error_holder holder = {.thread = (uint32_t)report->tid, .task = thread->task.own.id};
  if (report->error != 0) return ck_throw_of_error(&report->images, report->error, &holder, cause);
  if (report->fault.signal == 0) return CK_THROW_UNKNOWN;
  ck_error_crash crash = {.registers = &report->fault.registers, .message = &report->message};
  return ck_throw_of_crash(&report->images, &crash, &holder, cause);
}

static void write_type(crp_json *json, uint64_t type) {
  char bytes[256];
  cgr_text text = CGR_TEXT(bytes);
  ck_type_name_write(type, &text);
  if (text.size > 0) crp_json_string(json, "type", text.bytes, text.size);
}

static void write_stack(crp_json *json, ck_throw *thrown) {
  uint8_t flags[CK_THROW_FRAMES] = {0};
  ck_stack stack = {.addresses = thrown->frames, .flags = flags, .count = thrown->frame_count};
  bool is_whole = thrown->is_whole && thrown->frame_count > 1;
  stack.end = is_whole ? CK_END_ENTRY : CK_END_TOO_DEEP;
  ck_write_frames(json, &stack);
}

static void write_cause(crp_json *json, ck_throw_known known) {
  if (known == CK_THROW_UNKNOWN) return;
  crp_json_boolean(json, "isCause", true);
  if (known == CK_THROW_OF_VALUE) crp_json_text(json, "causeKnownBy", "value");
  if (known == CK_THROW_OF_TYPE) crp_json_text(json, "causeKnownBy", "type");
}

static void write_one(ck_report *report, ck_throw *thrown, ck_throw_known as_cause) {
  crp_json *json = &report->json;
  ck_throw_drop_runtime(&report->images, thrown);
  ck_throw_drop_strays(&report->images, thrown);
  crp_json_begin_object(json, NULL);
  crp_json_timestamp(json, "time", (int64_t)(thrown->time - report->started_ns + report->realtime_ns));
  crp_json_integer(json, "thread", thrown->thread);
  if (thrown->task != 0) crp_json_integer(json, "task", (int64_t)thrown->task);
  ck_write_context(json, thrown->context);
  write_type(json, thrown->type);
  write_cause(json, as_cause);
  write_stack(json, thrown);
  crp_json_end(json);
}

void ck_write_thrown(ck_report *report) {
  // Two threads may each make a report: a crash in the middle of a capture.
  static choice of_crash, of_living;
  choice *choice = report->fault.signal != 0 ? &of_crash : &of_living;
  crp_json *json = &report->json;
  if (!ck_throws_are_kept()) return;
  choose(choice);
  choice->cause_known = find_cause(report, &choice->cause);
  if (choice->cause_known != CK_THROW_UNKNOWN) add_cause(choice);
  crp_json_begin_array(json, "thrown");
  for (size_t i = 0; i < choice->count; ++i) {
    bool is_cause = choice->cause_known != CK_THROW_UNKNOWN && is_same(&choice->listed[i], &choice->cause);
    write_one(report, &choice->listed[i], is_cause ? choice->cause_known : CK_THROW_UNKNOWN);
  }
  crp_json_end(json);
  uint64_t seen = ck_throws_seen();
  crp_json_integer(json, "omittedThrown", seen > choice->count ? (int64_t)(seen - choice->count) : 0);
}
