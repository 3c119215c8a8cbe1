// Memory, machine, and how the report was made.

#include "CGround/clock.h"
#include "CReportParts/host.h"
#include "report/report_stages.h"
#include "CReportParts/sections.h"
#include "CReportParts/version.h"

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

void ck_write_memory(ck_report *report) { ck_section_memory(&report->json, &report->facts.memory); }

void ck_write_host(ck_report *report) {
  ck_section_host(&report->json, &report->facts.os_name, &report->facts.os_version);
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
