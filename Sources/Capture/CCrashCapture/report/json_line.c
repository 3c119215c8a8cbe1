// A crash as one line of JSON on standard error, for collectors of logs that take JSON: flat keys for their searches,
// and inside it a small report for crashsym. System calls only.

#include "CGround/descriptors.h"
#include "CGround/utf8.h"
#include "CReportParts/harmless.h"
#include "CReportParts/host.h"
#include "CReportParts/origin.h"
#include "CReportParts/shared_sections.h"
#include "CReportTerms.h"
#include "processor/settings.h"
#include "record/context_table.h"
#include "report/build_fingerprint.h"
#include "report/report_stages.h"
#include "report/stderr_lines.h"

// With the line's end: what Fluent Bit, Docker and containerd keep in one piece.
#define LINE_BYTES (16 * 1024)
#define TEXT_BYTES 1024
// What has to stay free behind a frame or an image for the ends of all that is open.
#define END_BYTES 192
#define FRAMES_SHOWN 24
#define MESSAGE_BYTES 512
#define NAME_BYTES 64
// The process dies later by so much at most.
#define LINE_WAIT_NS 500000000ull

static crp_json line;

// Standard error gets it in one piece, from the buffer.
static void keep(void *sink, const char *bytes, size_t size) { (void)sink, (void)bytes, (void)size; }

// Text from outside, so short that at most twice as many bytes come of it.
static void bounded(const char *key, const char *bytes, size_t size, size_t most) {
  char kept[TEXT_BYTES], shown[TEXT_BYTES];
  size_t length = cgr_copy_cut(kept, bytes, size, most);
  cgr_text text = CGR_TEXT(shown);
  crp_text_harmless(&text, kept, length);
  crp_json_string(&line, key, text.bytes, text.size);
}

static void bounded_text(const char *key, const char *text, size_t most) {
  if (text[0]) bounded(key, text, cgr_length(text), most);
}

// What the keys mean is Elastic's Common Schema, and Cloud Logging's for "time" and "severity".
static void write_event(const ck_report *report) {
  char bytes[768];
  cgr_text headline = CGR_TEXT(bytes);
  ck_line_death(report, &headline);
  crp_json_timestamp(&line, "@timestamp", (int64_t)report->realtime_ns);
  crp_json_timestamp(&line, "time", (int64_t)report->realtime_ns);
  crp_json_text(&line, "severity", "CRITICAL");
  crp_json_text(&line, "log.level", "critical");
  bounded("message", headline.bytes, headline.size, sizeof bytes);
}

static const char *application_name(void) {
  const ck_settings *settings = &ck_current_settings;
  return settings->application_name[0] ? settings->application_name : settings->process_name;
}

static void write_process(const ck_report *report) {
  const ck_thread *thread = &report->threads.entries[0];
  const crp_origin *origin = crp_origin_known();
  bounded_text("service.name", application_name(), NAME_BYTES);
  bounded_text("service.version", ck_current_settings.application_version, NAME_BYTES);
  if (origin) bounded_text("host.name", origin->host, NAME_BYTES);
  if (origin) bounded_text("container.id", origin->container, NAME_BYTES);
  crp_json_integer(&line, "process.pid", report->pid);
  bounded_text("process.name", ck_current_settings.process_name, NAME_BYTES);
  crp_json_integer(&line, "process.thread.id", thread->tid);
  bounded("process.thread.name", thread->name, thread->name_size, NAME_BYTES);
}

static uint32_t frames_shown(const ck_stack *stack) {
  return stack->count < FRAMES_SHOWN ? stack->count : FRAMES_SHOWN;
}

static void write_stack(const ck_report *report) {
  const ck_stack *stack = &report->threads.entries[0].stack;
  char bytes[2048];
  cgr_text text = CGR_TEXT(bytes);
  for (uint32_t i = 0; i < frames_shown(stack); ++i) {
    cgr_text_string(&text, "#");
    cgr_text_unsigned(&text, i);
    cgr_text_string(&text, " ");
    ck_line_place(report, &text, stack, i);
  }
  crp_json_string(&line, "error.stack_trace", text.bytes, text.size);
}

static void write_error(const ck_report *report) {
  crp_json_text(&line, "error.type", term_signal_name(report->fault.signal));
  if (report->message.size > 0) bounded("error.message", report->message.bytes, report->message.size, MESSAGE_BYTES);
  write_stack(report);
}

// The name and the trace. Attributes are the program's values, and stay in the report's file.
static void write_context(const ck_report *report, bool is_flat) {
  static ck_context context;
  if (!ck_context_read(report->threads.entries[0].task.context, &context)) return;
  if (!is_flat) crp_json_begin_object(&line, "context");
  bounded(is_flat ? "crashkit.context" : "name", context.name, context.name_length, 2 * NAME_BYTES);
  if (context.has_trace) {
    if (!is_flat) crp_json_begin_object(&line, "trace");
    crp_json_hex(&line, is_flat ? "trace.id" : "traceId", context.trace.trace_id, sizeof context.trace.trace_id);
    crp_json_hex(&line, is_flat ? "span.id" : "spanId", context.trace.span_id, sizeof context.trace.span_id);
    if (!is_flat) crp_json_end(&line);
  }
  if (!is_flat) crp_json_end(&line);
}

static void write_own_keys(const ck_report *report) {
  char fingerprint[CK_BUILD_FINGERPRINT_SIZE];
  ck_build_fingerprint(report, fingerprint);
  crp_json_text(&line, "crashkit.fingerprint", fingerprint);
  crp_json_text(&line, "crashkit.kind", report->kind);
  if (report->cause_code) crp_json_text(&line, "crashkit.cause", term_cause_code(report->cause_code));
  write_context(report, true);
  if (ck_output_has_file(&report->output)) bounded_text("crashkit.path", report->output.path, MESSAGE_BYTES);
}

// If the last part does not fit, it is removed.
static bool fits(int depth) {
  if (line.size + END_BYTES < LINE_BYTES) {
    crp_json_release(&line);
    return true;
  }
  crp_json_recover(&line, depth);
  return false;
}

static void write_frames(const ck_report *report) {
  ck_stack stack = report->threads.entries[0].stack;
  uint32_t shown = frames_shown(&stack);
  if (shown < stack.count) stack.end = CK_END_TOO_DEEP;
  stack.count = shown;
  ck_write_frames(&line, &stack);
}

static void write_threads(const ck_report *report) {
  const ck_thread *thread = &report->threads.entries[0];
  crp_json_begin_array(&line, "threads");
  crp_json_begin_object(&line, NULL);
  crp_json_integer(&line, "id", thread->tid);
  bounded("name", thread->name, thread->name_size, NAME_BYTES);
  crp_json_boolean(&line, "crashed", true);
  crp_json_text(&line, "capturedBy", ck_captured_by_name(thread->captured_by));
  write_frames(report);
  crp_json_end(&line);
  crp_json_end(&line);
}

static bool is_earlier(const ck_report *report, const ck_stack *stack, uint32_t index, const crp_image *image) {
  for (uint32_t i = 0; i < index; ++i)
    if (ck_frame_image(report, stack, i) == image) return true;
  return false;
}

// Those of the frames. A path that does not fit is left out with its image: it must be the whole one.
static void write_images(const ck_report *report) {
  const ck_stack *stack = &report->threads.entries[0].stack;
  crp_json_begin_array(&line, "images");
  int depth = line.depth;
  for (uint32_t i = 0; i < frames_shown(stack); ++i) {
    const crp_image *image = ck_frame_image(report, stack, i);
    if (!image || is_earlier(report, stack, i, image)) continue;
    crp_json_hold(&line);
    crp_section_image(&line, &report->images, image);
    fits(depth);
  }
  crp_json_end(&line);
}

static void write_cut(void) {
  crp_json_begin_object(&line, "capture");
  crp_json_begin_array(&line, "cutShort");
  crp_json_begin_object(&line, NULL);
  crp_json_text(&line, "what", "report");
  crp_json_text(&line, "reason", "it is of one line in a log");
  crp_json_end(&line);
  crp_json_end(&line);
  crp_json_end(&line);
}

// What crashsym needs to name the frames.
static void write_report(const ck_report *report) {
  const ck_fault *fault = &report->fault;
  crp_json_begin_object(&line, "crashkit.report");
  crp_json_text(&line, "schema", "crashkit/1");
  crp_json_timestamp(&line, "timestamp", (int64_t)report->realtime_ns);
  crp_json_text(&line, "kind", report->kind);
  crp_json_text(&line, "description", term_signal_words(fault->signal));
  ck_write_signal(&line, fault);
  if (fault->has_address) crp_json_address(&line, "faultAddress", fault->address);
  if (report->cause.size > 0) bounded("cause", report->cause.bytes, report->cause.size, MESSAGE_BYTES);
  if (report->cause_code) crp_json_text(&line, "causeCode", term_cause_code(report->cause_code));
  if (report->message.size > 0) bounded("message", report->message.bytes, report->message.size, MESSAGE_BYTES);
  write_context(report, false);
  crp_json_text(&line, "platform", "Linux");
  crp_json_text(&line, "architecture", CRP_ARCHITECTURE);
  crp_json_begin_object(&line, "process");
  crp_json_integer(&line, "pid", report->pid);
  bounded_text("name", ck_current_settings.process_name, NAME_BYTES);
  crp_json_end(&line);
  crp_json_begin_object(&line, "application");
  bounded_text("name", application_name(), NAME_BYTES);
  bounded_text("version", ck_current_settings.application_version, NAME_BYTES);
  bounded_text("build", ck_current_settings.application_build, NAME_BYTES);
  crp_json_end(&line);
  write_cut();
  write_threads(report);
  write_images(report);
  crp_json_end(&line);
}

void ck_write_json_line(ck_report *report) {
  if (!ck_current_settings.json_line) return;
  crp_json_start(&line, keep, NULL);
  crp_json_begin_object(&line, NULL);
  write_event(report);
  write_process(report);
  write_error(report);
  write_own_keys(report);
  write_report(report);
  crp_json_end(&line);
  // The buffer is larger than the line by far.
  line.buffer[line.committed] = '\n';
  cgr_write_stderr(line.buffer, line.committed + 1, LINE_WAIT_NS);
}
