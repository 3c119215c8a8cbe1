// The event and its process.

#include "CSecrets.h"
#include "CGround/clock.h"
#include "CReportParts/host.h"
#include "CGround/memory.h"
#include "CGround/procfile.h"
#include "CGround/unjumped.h"
#include "record/context_table.h"
#include "report/report_cuts.h"
#include "report/report_stages.h"
#include "processor/settings.h"
#include "CReportTerms.h"

void ck_write_signal(crp_json *json, const ck_fault *fault) {
  crp_json_begin_object(json, "signal");
  crp_json_integer(json, "number", fault->signal);
  crp_json_text(json, "name", term_signal_name(fault->signal));
  crp_json_integer(json, "code", fault->info.si_code);
  const char *code = term_signal_code_name(fault->signal, fault->info.si_code);
  if (code) crp_json_text(json, "codeName", code);
  if (fault->has_sender) {
    crp_json_integer(json, "pid", fault->info.si_pid);
    crp_json_integer(json, "uid", fault->info.si_uid);
  }
  crp_json_end(json);
}

static char safe_text[CSEC_SECRET_TEXT_MAX + 64];  // what is written in the place of a text with credentials

_Static_assert(CPH_WORDS_MAX >= CSEC_SECRET_TEXT_MAX + CSEC_SECRET_BEYOND, "a message has what masking looks at");

static void hide_secrets(cgr_text *text) {
  csec_safe_text safe = csec_without_secrets(text->bytes, text->size, safe_text, sizeof safe_text);
  if (safe.bytes == text->bytes) return;
  ++cgr_guard_held;
  text->size = 0;
  cgr_text_bytes(text, safe.bytes, safe.size);
  --cgr_guard_held;
}

void ck_write_header(ck_report *report) {
  crp_json *json = &report->json;
  // Here, for the summary has them from the report as well.
  if (report->message.size > CSEC_SECRET_TEXT_MAX && !report->message.cut) {
    report->message.cut = true;
    ck_report_cut(report, "message", "too long");
  }
  hide_secrets(&report->message);
  hide_secrets(&report->cause);
  hide_secrets(&report->description);
  // No reader takes a report without a kind: these values are written together, or not at all.
  crp_json_hold(json);
  crp_json_text(json, "schema", "crashkit/1");
  crp_json_timestamp(json, "timestamp", (int64_t)report->realtime_ns);
  crp_json_text(json, "kind", report->kind);
  if (report->fault.signal != 0) {
    crp_json_text(json, "description", term_signal_words(report->fault.signal));
    ck_write_signal(json, &report->fault);
  } else if (report->description.size > 0) {
    crp_json_string(json, "description", report->description.bytes, report->description.size);
  }
  if (report->fault.has_address) crp_json_address(json, "faultAddress", report->fault.address);
  if (report->cause.size > 0) crp_json_string(json, "cause", report->cause.bytes, report->cause.size);
  if (report->cause_code) crp_json_text(json, "causeCode", term_cause_code(report->cause_code));
  if (report->message.size > 0) crp_json_string(json, "message", report->message.bytes, report->message.size);
  bool is_of_one_thread = report->fault.signal != 0 || report->error != 0;
  if (is_of_one_thread) ck_write_context(json, report->threads.entries[0].task.context);
  if (ck_contexts_overflow()) ck_report_cut(report, "contexts", "more than 4096 were open");
  const cgr_text *platform = &report->facts.platform;
  if (platform->size > 0)
    crp_json_string(json, "platform", platform->bytes, platform->size);
  else
    crp_json_text(json, "platform", "Linux (unknown)");
  crp_json_text(json, "architecture", CRP_ARCHITECTURE);
  crp_json_release(json);
}

static char process_text[16384];  // the command line or the environment: what does not fit is left out

static const char too_many[] = "longer than 16383 bytes";

// Whether a text ends where the room does: what is missing of it may show that the rest is a credential. Of a long text
// more is here than is kept.
static bool is_incomplete(long at, size_t length, long size) {
  return at + (long)length >= size && size >= (long)sizeof process_text - 1
         && length <= CSEC_SECRET_TEXT_MAX + CSEC_SECRET_BEYOND;
}

static void write_arguments(ck_report *report) {
  crp_json *json = &report->json;
  long size = cgr_file_read("/proc/thread-self/cmdline", process_text, sizeof process_text);
  if (size <= 0) return;
  crp_json_begin_array(json, "arguments");
  csec_arguments arguments = {0};
  for (long at = 0; at < size;) {
    size_t length = cgr_length(process_text + at);
    if (is_incomplete(at, length, size)) {
      ck_report_cut(report, "arguments", too_many);
      break;
    }
    csec_safe_text safe =
        csec_argument_without_secrets(process_text + at, length, &arguments, safe_text, sizeof safe_text);
    crp_json_string(json, NULL, safe.bytes, safe.size);
    at += (long)length + 1;
  }
  crp_json_end(json);
}

// As the program was started: variables that it set itself are not in /proc. Secrets are masked by their names, and in
// the values of others.
static void write_environment(ck_report *report) {
  crp_json *json = &report->json;
  long size = cgr_file_read("/proc/thread-self/environ", process_text, sizeof process_text);
  if (size <= 0) return;
  crp_json_begin_object(json, "environment");
  for (long at = 0; at < size;) {
    char *name = process_text + at;
    size_t length = cgr_length(name), name_length = 0;
    if (is_incomplete(at, length, size)) {
      ck_report_cut(report, "environment", too_many);
      break;
    }
    while (name_length < length && name[name_length] != '=') ++name_length;
    at += (long)length + 1;
    if (name_length == 0 || name_length == length) continue;
    name[name_length] = 0;
    const char *value = name + name_length + 1;
    if (csec_variable_is_secret(name, name_length, value, cgr_length(value))) value = CSEC_SECRET_MASK;
    csec_safe_text safe = csec_without_secrets(value, cgr_length(value), safe_text, sizeof safe_text);
    crp_json_string(json, name, safe.bytes, safe.size);
  }
  crp_json_end(json);
}

void ck_write_process(ck_report *report) {
  crp_json *json = &report->json;
  const ck_settings *settings = &ck_current_settings;
  crp_json_begin_object(json, "process");
  crp_json_integer(json, "pid", report->pid);
  crp_json_text(json, "name", settings->process_name);
  uint64_t uptime_ns = report->facts.uptime_ns;
  if (uptime_ns > 0) {
    crp_json_timestamp(json, "startedAt", (int64_t)(report->realtime_ns - uptime_ns));
    crp_json_seconds(json, "uptime", uptime_ns);
  }
  if (settings->arguments) write_arguments(report);
  if (settings->environment) write_environment(report);
  crp_json_end(json);
  crp_json_begin_object(json, "application");
  crp_json_text(json, "name", settings->application_name[0] ? settings->application_name : settings->process_name);
  if (settings->application_version[0]) crp_json_text(json, "version", settings->application_version);
  if (settings->application_build[0]) crp_json_text(json, "build", settings->application_build);
  crp_json_end(json);
}
