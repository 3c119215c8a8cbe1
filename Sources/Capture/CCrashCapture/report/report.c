// The order of the stages of a report, and what is lost if a stage faults. Calls the stages only.

#include "report/report.h"

#include "CGround/clock.h"
#include "processor/guard.h"
#include "threads/live_turn.h"
#include "CGround/memory.h"
#include "CGround/page_server.h"
#include "report/masked_values.h"
#include "report/message.h"
#include "record/region_file.h"
#include "report/report_cuts.h"
#include "report/section_table.h"
#include "processor/settings.h"

#define TRIES_AFTER_FAULT 2
#define TRIES_IN_TIME 3

static void stop_threads(ck_report *report) {
  ck_live_make_way();
  if (!ck_threads_stop_all(&report->threads))
    ck_report_cut(report, "threads", "no file descriptor to look for other threads");
  // Before any memory is read; meanwhile the threads stop.
  cgr_page_server_look();
}

static void refresh_images(ck_report *report) { crp_images_refresh(&report->images); }

static void find_message(ck_report *report) {
  report->message = CGR_TEXT(report->message_bytes);
  ck_message_write(&report->message, &report->fault, report->tid);
  ck_masked_values_find(report->message.bytes, report->message.size);
}

static void find_cause(ck_report *report) {
  report->captured_ns = cgr_monotonic_ns();
  report->cause = CGR_TEXT(report->cause_bytes);
  report->cause_code = ck_cause_write(&report->fault, &report->message, &report->cause);
}

static void start_text(ck_report *report) {
  crp_json_start(&report->json, ck_output_write, &report->output);
  crp_json_begin_object(&report->json, NULL);
}

static void open_output(ck_report *report) {
  bool numbered = ck_current_settings.numbered_output;
  ck_output_open(&report->output, report->realtime_ns, report->pid, report->kind, numbered);
  ck_output_use_spare(&report->output, numbered);
  start_text(report);
}

static void close_output(ck_report *report) {
  crp_json_recover(&report->json, 0);
  crp_json_flush(&report->json);
  if (ck_output_start_over(&report->output)) {
    start_text(report);
    report->starts_over = true;
    return;
  }
  ck_output_finish(&report->output);
  report->is_whole = ck_output_is_whole(&report->output);
  bool in_its_file = ck_output_has_file(&report->output) && report->output.error == 0;
  bool is_printed = report->output.numbered;
  ck_ending ending = in_its_file ? CK_ENDING_REPORTED : is_printed ? CK_ENDING_PRINTED : CK_ENDING_CRASHING;
  if (!ck_region_end_crash(ending)) return;
  // A whole report holds all that the region does.
  if (in_its_file && !report->output.cut && report->cut_count == 0) ck_region_remove_file();
}

static void repeat_output(ck_report *report) { ck_output_repeat(&report->output); }

// A report is made in stages: the capture, the sections, the end. `always` stages run even when the time is up: what
// has been captured must reach the file.
typedef struct stage {
  const char *name;
  void (*run)(ck_report *);
  bool writes;
  bool always;
} stage;

static const stage capture_stages[] = {
    {"threads", stop_threads, false, false},
    {"images", refresh_images, false, false},
    {"crashed thread", ck_stage_unwind_crashed, false, true},
    {"other threads", ck_stage_unwind_others, false, false},
    {"message", find_message, false, true},
    {"cause", find_cause, false, true},
    {"facts", ck_stage_gather_facts, false, false},
    {"output", open_output, false, true},
};
#define CAPTURE_STAGES (sizeof capture_stages / sizeof *capture_stages)

static const stage end_stages[] = {
    {"output", close_output, false, true},          {"journal", ck_write_journal, false, true},
    {"numbered lines", repeat_output, false, true}, {"line of JSON", ck_write_json_line, false, true},
    {"summary", ck_write_summary, false, true},
};
#define END_STAGES (sizeof end_stages / sizeof *end_stages)

static size_t crash_section_count(void) {
  size_t count = 0;
  for (size_t i = 0; i < ck_section_count; ++i) count += ck_sections[i].in_crash;
  return count;
}

// The section of the report of a death that stands at this place among them.
static const ck_section *crash_section(size_t place) {
  const ck_section *section = ck_sections;
  while (!section->in_crash || place-- > 0) ++section;
  return section;
}

static stage stage_at(size_t place) {
  size_t sections = crash_section_count();
  if (place < CAPTURE_STAGES) return capture_stages[place];
  if (place >= CAPTURE_STAGES + sections) return end_stages[place - CAPTURE_STAGES - sections];
  const ck_section *section = crash_section(place - CAPTURE_STAGES);
  return (stage){section->name, section->write, true, section->always};
}

void (*ck_report_stage_begins)(size_t stage);
size_t ck_report_stage_count(void) { return CAPTURE_STAGES + crash_section_count() + END_STAGES; }
const char *ck_report_stage_name(size_t place) { return stage_at(place).name; }

void ck_report_forget(ck_report *report) {
  ck_threads_clear(&report->threads);
  report->cut_count = report->frames_used = 0;
  report->starts_over = report->is_whole = false;
  cgr_report_out_of_time = false;
  ck_guard_current = NULL;
  cgr_guard_held = 0;
}

// What is there whatever happens to the stages.
static void begin(ck_report *report) {
  report->output.file = report->output.directory = -1;
  ck_thread *own = ck_threads_append(&report->threads, report->tid);
  cgr_copy(&own->registers, &report->fault.registers, sizeof own->registers);
  own->captured_by = CK_BY_FAULT_CONTEXT;
}

static size_t written(const ck_report *report) { return report->output.written + report->json.committed; }

// What the report cannot do without is tried again, unless its first part is written already. A machine with more to
// do than it has processors for may break a sound stage off more than once.
static bool may_try_again(const stage *step, int tries) {
  return step->always && tries < (cgr_report_out_of_time ? TRIES_IN_TIME : TRIES_AFTER_FAULT);
}

void ck_report_make(ck_report *report) {
  begin(report);
  volatile int tries = 0;
  for (volatile size_t i = 0; i < ck_report_stage_count(); ++i) {
    const stage step = stage_at(i);
    if (cgr_report_out_of_time && !step.always) {
      ck_report_cut(report, step.name, "time limit");
      continue;
    }
    volatile size_t before = written(report);
    ck_guard guard, *outer;
    if (CK_GUARD_ENTER(&guard, outer) == 0) {
      if (ck_report_stage_begins) ck_report_stage_begins(i);
      step.run(report);
      tries = 0;
      if (report->starts_over) i = CAPTURE_STAGES - 1;
      report->starts_over = false;
    } else {
      cgr_guard_held = 0;
      ck_report_cut(report, step.name, cgr_report_out_of_time ? "time limit" : "a fault while it was made");
      if (step.writes) crp_json_recover(&report->json, 1);
      ++tries;
      if (written(report) == before && may_try_again(&step, tries))
        --i;
      else
        tries = 0;
    }
    ck_guard_current = NULL;
    (void)outer;
  }
}
