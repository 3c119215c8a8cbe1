// Memory, machine, and how the report was made.

#include "CGround/clock.h"
#include "CReportParts/host.h"
#include "report/report_stages.h"
#include "CReportParts/shared_sections.h"
#include "CReportParts/version.h"

void ck_stage_gather_facts(ck_report *report) {
  report->facts.platform = CGR_TEXT(report->facts.platform_bytes);
  report->facts.os_name = CGR_TEXT(report->facts.name_bytes);
  report->facts.os_version = CGR_TEXT(report->facts.version_bytes);
  crp_host_platform(&report->facts.platform);
  crp_host_os_release("NAME", &report->facts.os_name);
  crp_host_os_release("VERSION", &report->facts.os_version);
  // A hang's report is written twice, and both times its moment is that of the first.
  if (!report->hang) report->facts.uptime_ns = crp_process_uptime_ns();
  report->facts.memory = crp_process_memory();
  if (ck_is_of_death(report)) ck_stage_gather_surroundings(report);
}

void ck_write_host(ck_report *report) {
  crp_section_host(&report->json, &report->facts.os_name, &report->facts.os_version);
}

void ck_write_capture(ck_report *report) {
  crp_json *json = &report->json;
  report->ended_ns = cgr_monotonic_ns();
  crp_json_begin_object(json, "capture");
  crp_json_text(json, "version", CRP_VERSION);
  crp_json_text(json, "unwinder", ck_unwind_uses_libunwind() ? "libunwind" : "framePointer");
  crp_json_seconds(json, "captureTime", report->captured_ns - report->started_ns);
  crp_json_seconds(json, "writeTime", report->ended_ns - report->captured_ns);
  crp_json_integer(json, "threads", (int64_t)ck_threads_total(&report->threads));
  ck_write_task_search(report);
  ck_write_unanswered(report);
  crp_json_begin_array(json, "unprotected");
  for (size_t i = 0; i < report->threads.count; ++i) {
    const ck_thread *thread = &report->threads.entries[i];
    // Libc's two functions that start a thread, alone: it has not reached the stack that it will get.
    bool is_being_born = thread->stack.count <= 2;
    if (thread->unprotected && !is_being_born) crp_json_integer(json, NULL, thread->tid);
  }
  crp_json_end(json);
  crp_json_begin_array(json, "cutShort");
  for (size_t i = 0; i < report->cut_count; ++i) {
    crp_json_begin_object(json, NULL);
    crp_json_text(json, "what", report->cuts[i].what);
    crp_json_text(json, "reason", report->cuts[i].reason);
    crp_json_end(json);
  }
  crp_json_end(json);
  crp_json_end(json);
  crp_json_seconds(json, "backtraceTime", report->ended_ns - report->started_ns);
}
