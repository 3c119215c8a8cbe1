// Memory, machine, and how the report was made.

#include <errno.h>
#include <sys/utsname.h>

#include "clock.h"
#include "host.h"
#include "install.h"
#include "report.h"
#include "syscalls.h"

static void positive(ck_json *json, const char *key, uint64_t value) {
  if (value > 0) ck_json_integer(json, key, (int64_t)value);
}

void ck_stage_gather_facts(ck_report *report) {
  report->facts.platform = CK_TEXT(report->facts.platform_bytes);
  report->facts.os_name = CK_TEXT(report->facts.name_bytes);
  report->facts.os_version = CK_TEXT(report->facts.version_bytes);
  ck_host_platform(&report->facts.platform);
  ck_host_os_release("NAME", &report->facts.os_name);
  ck_host_os_release("VERSION", &report->facts.os_version);
  // A hang's report is written twice, and both times its moment is that of the first.
  if (!report->hang) report->facts.uptime_ns = ck_process_uptime_ns();
  report->facts.memory = ck_process_memory();
}

void ck_write_memory(ck_report *report) {
  ck_json *json = &report->json;
  ck_memory_use use = report->facts.memory;
  ck_json_begin_object(json, "memory");
  positive(json, "resident", use.resident);
  positive(json, "peak", use.peak);
  positive(json, "virtual", use.virtual_size);
  positive(json, "limit", use.limit);
  ck_json_end(json);
}

static void os_value(ck_json *json, const char *key, const ck_text *text) {
  if (text->size > 0) ck_json_string(json, key, text->bytes, text->size);
}

void ck_write_host(ck_report *report) {
  ck_json *json = &report->json;
  struct utsname names;
  bool named = ck_syscall1(SYS_uname, &names) == 0;
  ck_json_begin_object(json, "host");
  if (named) ck_json_text(json, "machine", names.machine);
  os_value(json, "osName", &report->facts.os_name);
  os_value(json, "osVersion", &report->facts.os_version);
  if (named) ck_json_text(json, "kernel", names.release);
  ck_json_integer(json, "cores", ck_host_cores());
  positive(json, "memory", ck_host_memory());
  ck_json_end(json);
}

void ck_write_capture(ck_report *report) {
  ck_json *json = &report->json;
  report->ended_ns = ck_monotonic_ns();
  ck_json_begin_object(json, "capture");
  ck_json_text(json, "version", CK_VERSION);
  ck_json_text(json, "unwinder", ck_unwind_uses_libunwind() ? "libunwind" : "framePointer");
  ck_json_seconds(json, "captureTime", report->captured_ns - report->started_ns);
  ck_json_seconds(json, "writeTime", report->ended_ns - report->captured_ns);
  ck_json_integer(json, "threads", (int64_t)ck_threads_total(&report->threads));
  ck_write_unanswered(report);
  ck_json_begin_array(json, "unprotected");
  for (size_t i = 0; i < report->threads.count; ++i) {
    const ck_thread *thread = &report->threads.entries[i];
    // Libc's two functions that start a thread, alone: it has not reached the stack that it will get.
    bool is_being_born = thread->stack.count <= 2;
    if (thread->unprotected && !is_being_born) ck_json_integer(json, NULL, thread->tid);
  }
  ck_json_end(json);
  ck_json_begin_array(json, "cutShort");
  for (size_t i = 0; i < report->cut_count; ++i) {
    ck_json_begin_object(json, NULL);
    ck_json_text(json, "what", report->cuts[i].what);
    ck_json_text(json, "reason", report->cuts[i].reason);
    ck_json_end(json);
  }
  ck_json_end(json);
  ck_json_end(json);
  ck_json_seconds(json, "backtraceTime", report->ended_ns - report->started_ns);
}
