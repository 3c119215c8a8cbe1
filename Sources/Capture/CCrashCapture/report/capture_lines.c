// Lines for people and for crashsym, which reads them out of a log. System calls only.

#include "report/capture_lines.h"

#include <signal.h>

#include "CGround/clock.h"
#include "CGround/descriptors.h"
#include "CReportParts/harmless.h"
#include "CReportTerms.h"
#include "processor/settings.h"
#include "report/report_words.h"
#include "report/stderr_lines.h"
#include "report/task_choice.h"

#define FRAMES_SHOWN 64
#define PIECE_WAIT_NS 500000000ull
#define TOTAL_WAIT_NS 1500000000ull
/// A pipe takes 4096 bytes at once: lines of others come between, and never inside. Few lines are longer than this.
#define PIECE_BYTES (4096 - 512)

// --- Writing ---------------------------------------------------------------------------------------------------

static void flush(ck_capture_lines *lines) {
  if (lines->text.size > 0 && !lines->is_given_up) {
    uint64_t start = cgr_monotonic_ns();
    uint64_t wait = lines->wait_left_ns < PIECE_WAIT_NS ? lines->wait_left_ns : PIECE_WAIT_NS;
    lines->is_given_up = cgr_write_stderr(lines->text.bytes, lines->text.size, wait) != 0;
    uint64_t spent = cgr_monotonic_ns() - start;
    lines->wait_left_ns -= spent < lines->wait_left_ns ? spent : lines->wait_left_ns;
  }
  lines->text = CGR_TEXT(lines->bytes);
}

// The text for the next line, with room for it.
static cgr_text *next(ck_capture_lines *lines) {
  if (lines->text.size > PIECE_BYTES) flush(lines);
  return &lines->text;
}

static cgr_text *begin(const ck_report *report, ck_capture_lines *lines, const char *words) {
  cgr_text *text = next(lines);
  ck_line_begin(report, text);
  cgr_text_string(text, words);
  return text;
}

static void add_quoted(cgr_text *text, const char *name, size_t size) {
  if (size == 0) return;
  cgr_text_string(text, " \"");
  crp_text_harmless(text, name, size);
  cgr_text_string(text, "\"");
}

static void add_number(cgr_text *text, const char *words, uint64_t number) {
  cgr_text_string(text, words);
  cgr_text_unsigned(text, number);
}

// --- Stacks ----------------------------------------------------------------------------------------------------

static void print_left_out(const ck_report *report, ck_capture_lines *lines, uint64_t count) {
  cgr_text *text = begin(report, lines, "  ... ");
  cgr_text_unsigned(text, count);
  cgr_text_string(text, " more\n");
}

static void print_stack(const ck_report *report, ck_capture_lines *lines, const ck_stack *stack) {
  uint32_t shown = stack->count < FRAMES_SHOWN ? stack->count : FRAMES_SHOWN;
  if (stack->omitted > 0 && stack->omitted_after < shown) shown = stack->omitted_after;
  for (uint32_t i = 0; i < shown && !lines->is_given_up; ++i) {
    const crp_image *image = ck_line_frame(report, next(lines), stack, i);
    if (image) lines->seen[image - report->images.entries] = true;
  }
  uint64_t left_out = stack->count - shown + stack->omitted;
  if (left_out > 0) print_left_out(report, lines, left_out);
}

// --- Threads ---------------------------------------------------------------------------------------------------

static void print_thread(const ck_report *report, ck_capture_lines *lines, const ck_thread *thread) {
  cgr_text *text = begin(report, lines, "thread ");
  cgr_text_decimal(text, thread->tid);
  add_quoted(text, thread->name, thread->name_size);
  const char *state = ck_thread_state_name(thread);
  if (state) {
    cgr_text_string(text, ", ");
    cgr_text_string(text, state);
  }
  if (thread->task.own.id != 0) add_number(text, ", task ", thread->task.own.id);
  if (thread->stack.count == 0) cgr_text_string(text, ", no stack: ");
  if (thread->stack.count == 0) cgr_text_string(text, ck_thread_why_not_stopped(thread));
  cgr_text_string(text, "\n");
  print_stack(report, lines, &thread->stack);
}

static void print_threads(const ck_report *report, ck_capture_lines *lines) {
  for (size_t i = 0; i < report->threads.count && !lines->is_given_up; ++i)
    if (!report->threads.entries[i].gone) print_thread(report, lines, &report->threads.entries[i]);
  if (report->threads.omitted == 0) return;
  add_number(begin(report, lines, ""), "threads left out: ", report->threads.omitted);
  cgr_text_string(&lines->text, "\n");
}

// --- Tasks -----------------------------------------------------------------------------------------------------

static void add_awaits(cgr_text *text, const ck_task_facts *facts) {
  if (facts->awaits == CK_AWAITS_NOTHING) return;
  cgr_text_string(text, ", awaits ");
  cgr_text_string(text, ck_awaited_name(facts->awaits));
  if (facts->awaited_id > 0) add_number(text, " ", facts->awaited_id);
  if (facts->awaits != CK_AWAITS_ACTOR) return;
  cgr_text_string(text, " ");
  cgr_text_address(text, facts->awaited_address);
}

static void print_chain(ck_report *report, ck_capture_lines *lines) {
  ck_task_chain *chain = &report->tasks.chain;
  uint8_t flags[TERM_TASK_FRAMES_MAX];
  for (size_t i = 0; i < chain->count; ++i) flags[i] = CK_FRAME_ASYNC_RESUME_POINT;
  ck_stack stack = {.flags = flags, .count = (uint32_t)chain->count, .omitted = chain->omitted};
  stack.addresses = chain->addresses;
  stack.omitted_after = stack.count;
  print_stack(report, lines, &stack);
}

// A task that has moved since is left out, as it is in the report.
static void print_task(ck_report *report, ck_capture_lines *lines, size_t index) {
  ck_all_tasks *tasks = &report->tasks;
  const ck_task_record *record = &tasks->records[index];
  ck_task_facts facts;
  if (!ck_all_tasks_read(&report->images, tasks, record, &facts)) return;
  cgr_text *text = begin(report, lines, "task ");
  cgr_text_unsigned(text, facts.identity.id);
  add_quoted(text, facts.identity.name, facts.identity.name_size);
  cgr_text_string(text, ", ");
  cgr_text_string(text, ck_task_state_name(facts.state));
  int thread = facts.state == CK_TASK_RUNNING ? ck_thread_of_task(&report->threads, facts.identity.id) : 0;
  if (thread != 0) add_number(text, ", thread ", (uint64_t)thread);
  add_awaits(text, &facts);
  if (facts.parent > 0) add_number(text, ", child of ", facts.parent);
  if (facts.is_cancelled) cgr_text_string(text, ", cancelled");
  bool has_own = ck_task_shows_chain(tasks, index);
  if (!has_own) add_number(text, ", frames of ", tasks->records[tasks->kinds[record->kind].first].id);
  cgr_text_string(text, "\n");
  if (has_own && record->chain != 0) print_chain(report, lines);
}

static void print_tasks(ck_report *report, ck_capture_lines *lines) {
  ck_all_tasks *tasks = &report->tasks;
  if (!ck_current_settings.tasks) return;
  if (tasks->why_none) {
    cgr_text_string(begin(report, lines, "no Swift tasks: "), tasks->why_none);
    return cgr_text_string(&lines->text, "\n");
  }
  ck_tasks_choose_examples(&report->images, tasks);
  size_t left_out = tasks->omitted;
  for (size_t i = 0; i < tasks->count && !lines->is_given_up; ++i) {
    if (ck_task_is_listed(tasks, i))
      print_task(report, lines, i);
    else
      ++left_out;
  }
  if (left_out == 0) return;
  add_number(begin(report, lines, ""), "tasks left out: ", left_out);
  cgr_text_string(&lines->text, "\n");
}

// --- All -------------------------------------------------------------------------------------------------------

static void print_headline(const ck_report *report, ck_capture_lines *lines, int signal) {
  cgr_text *text = begin(report, lines, "");
  ck_line_name(text, ck_current_settings.process_name);
  cgr_text_string(text, " goes on after ");
  cgr_text_string(text, term_signal_name(signal));
  if (signal > SIGSYS) add_number(text, " ", (uint64_t)signal);
  size_t threads = ck_threads_total(&report->threads);
  add_number(text, ": ", threads);
  cgr_text_string(text, threads == 1 ? " thread" : " threads");
  bool has_tasks = ck_current_settings.tasks && !report->tasks.why_none;
  size_t tasks = report->tasks.count + report->tasks.omitted;
  if (has_tasks) add_number(text, ", ", tasks);
  if (has_tasks) cgr_text_string(text, tasks == 1 ? " Swift task" : " Swift tasks");
  cgr_text_string(text, "\n");
}

static void print_images(const ck_report *report, ck_capture_lines *lines) {
  for (size_t i = 0; i < report->images.count && !lines->is_given_up; ++i)
    if (lines->seen[i]) ck_line_image(report, next(lines), &report->images.entries[i]);
}

void ck_print_capture(ck_report *report, ck_capture_lines *lines, int signal, bool was_written) {
  cgr_zero(lines, sizeof *lines);
  lines->text = CGR_TEXT(lines->bytes);
  lines->wait_left_ns = TOTAL_WAIT_NS;
  print_headline(report, lines, signal);
  print_threads(report, lines);
  print_tasks(report, lines);
  print_images(report, lines);
  if (was_written) ck_lines_where(report, next(lines));
  flush(lines);
}
