// Images and threads.

#include "processor/guard.h"
#include "CGround/memory.h"
#include "CGround/own_threads.h"
#include "report/provider_json.h"
#include "report/report_cuts.h"
#include "report/report_stages.h"
#include "report/report_words.h"
#include "CReportParts/shared_sections.h"
#include "processor/settings.h"
#include "threads/waits.h"

static const char *const register_names[] = CK_REGISTER_NAMES;
_Static_assert(sizeof register_names / sizeof *register_names == CK_REGISTER_COUNT, "a name for each register");

void ck_write_images(ck_report *report) { crp_section_images(&report->json, &report->images); }

static const char *const captured_by[] = {
    [CK_BY_NONE] = "none",     [CK_BY_FAULT_CONTEXT] = "faultContext",
    [CK_BY_SIGNAL] = "signal", [CK_BY_PROC_SYSCALL] = "procSyscall",
    [CK_BY_CALLER] = "caller",
};

const char *ck_captured_by_name(ck_captured_by way) { return captured_by[way]; }

static const char *const end_names[] = {
    [CK_END_NONE] = "not unwound",
    [CK_END_ENTRY] = "entry",
    [CK_END_NO_INFORMATION] = "no unwind information at ",
    [CK_END_UNREADABLE] = "unreadable stack in the frame at ",
    [CK_END_ZERO_RETURN] = "return address 0 in the frame at ",
    [CK_END_NO_PROGRESS] = "the stack pointer does not move outwards from ",
    [CK_END_TOO_DEEP] = "too many frames",
    [CK_END_FAULT] = "a fault while unwinding",
    [CK_END_TIME] = "time limit",
    [CK_END_NOT_STOPPED] = "did not stop",
};

static void write_end(crp_json *json, const ck_thread *thread) {
  const ck_stack *stack = &thread->stack;
  if (stack->end == CK_END_NOT_STOPPED) return crp_json_text(json, "stackEnd", ck_thread_why_not_stopped(thread));
  char bytes[96];
  cgr_text text = CGR_TEXT(bytes);
  const char *name = end_names[stack->end];
  cgr_text_string(&text, name);
  if (name[cgr_length(name) - 1] == ' ') cgr_text_address(&text, stack->end_address);
  crp_json_string(json, "stackEnd", text.bytes, text.size);
}

// Most of a report is frames, so they are put together without escaping.
static void write_frame(crp_json *json, uint64_t address, uint8_t flags) {
  char bytes[112];
  cgr_text text = CGR_TEXT(bytes);
  cgr_text_string(&text, flags & CK_FRAME_PROGRAM_COUNTER      ? "{\"kind\":\"programCounter\",\"address\":\""
                         : flags & CK_FRAME_ASYNC_RESUME_POINT ? "{\"kind\":\"asyncResumePoint\",\"address\":\""
                                                               : "{\"kind\":\"returnAddress\",\"address\":\"");
  cgr_text_address(&text, address);
  cgr_text_string(&text, flags & CK_FRAME_BY_FRAME_POINTER ? "\",\"byFramePointer\":true}" : "\"}");
  crp_json_raw(json, NULL, text.bytes, text.size);
}

void ck_write_frames(crp_json *json, const ck_stack *stack) {
  crp_json_begin_array(json, "frames");
  for (uint32_t i = 0; i < stack->count; ++i) {
    if (stack->omitted > 0 && i == stack->omitted_after) {
      crp_json_begin_object(json, NULL);
      crp_json_text(json, "kind", "omittedFrames");
      crp_json_integer(json, "count", (int64_t)stack->omitted);
      crp_json_end(json);
    }
    write_frame(json, stack->addresses[i], stack->flags[i]);
  }
  if (stack->count > 0 && stack->end != CK_END_ENTRY) {
    crp_json_begin_object(json, NULL);
    crp_json_text(json, "kind", "truncated");
    crp_json_end(json);
  }
  crp_json_end(json);
}

static void write_registers(crp_json *json, const ck_registers *registers) {
  crp_json_begin_object(json, "registers");
  for (int i = 0; i < CK_REGISTER_COUNT; ++i) crp_json_address(json, register_names[i], registers->values[i]);
  crp_json_end(json);
}

// Each call under a guard of its own: a part that fails costs what it had begun. `tid` is 0 for the top level.
static void write_provided(ck_report *report, int tid) {
  crp_json *json = &report->json;
  crv_json face = ck_json_for_providers(json);
  volatile int depth = json->depth;
  for (volatile int i = 0; i < CPH_SECTION_PROVIDERS; ++i) {
    const crv_section_provider *provider = cph_section_provider_at(i);
    if (!provider || !(tid ? (void *)provider->thread : (void *)provider->report)) continue;
    ck_guard guard, *outer;
    volatile bool failed = false;
    if (CK_GUARD_ENTER(&guard, outer) != 0) {
      cgr_guard_held = 0;
      failed = true;
    } else if (tid) {
      provider->thread(&face, tid);
    } else {
      provider->report(&face);
    }
    CK_GUARD_LEAVE(outer);
    crp_json_recover(json, depth);
    if (!failed) continue;
    ck_report_cut(report, "sections of other parts",
                  cgr_report_out_of_time ? "time limit" : "a fault while it was made");
    return;
  }
}

static void write_task_members(crp_json *json, const ck_task_identity *identity) {
  crp_json_integer(json, "id", (int64_t)identity->id);
  if (identity->name_size > 0) crp_json_string(json, "name", identity->name, identity->name_size);
}

static void write_task(crp_json *json, const ck_swift_task *task) {
  if (task->own.id == 0) return;
  crp_json_begin_object(json, "task");
  write_task_members(json, &task->own);
  if (task->parent.id != 0) {
    crp_json_begin_object(json, "parent");
    write_task_members(json, &task->parent);
    crp_json_end(json);
  }
  crp_json_end(json);
}

// Another part knows the program's locks, and says itself what threads wait for.
static bool threads_are_provided(void) {
  for (int i = 0; i < CPH_SECTION_PROVIDERS; ++i) {
    const crv_section_provider *provider = cph_section_provider_at(i);
    if (provider && provider->thread) return true;
  }
  return false;
}

static void write_thread(ck_report *report, const ck_thread *thread, bool crashed, bool is_provided) {
  crp_json *json = &report->json;
  const ck_stack *stack = &thread->stack;
  crp_json_begin_object(json, NULL);
  crp_json_integer(json, "id", thread->tid);
  crp_json_string(json, "name", thread->name, thread->name_size);
  if (cgr_is_own_thread(CGR_OF_CRASHKIT, thread->tid)) crp_json_text(json, "belongsTo", "CrashKit");
  if (crashed) crp_json_boolean(json, "crashed", true);
  const char *state = ck_thread_state_name(thread);
  if (state) crp_json_text(json, "state", state);
  if (thread->fault) ck_write_signal(json, thread->fault);
  if (thread->fault && thread->fault->has_address) crp_json_address(json, "faultAddress", thread->fault->address);
  crp_json_text(json, "capturedBy", ck_captured_by_name(thread->captured_by));
  if (stack->count > 0)
    crp_json_text(json, "unwoundBy", !stack->by_frame_pointer ? "cfi" : stack->by_cfi ? "mixed" : "framePointer");
  write_end(json, thread);
  write_task(json, &thread->task);
  ck_write_context(json, thread->task.context);
  if (!is_provided) ck_write_wait(json, thread);
  write_provided(report, thread->tid);
  if (crashed && ck_current_settings.registers) write_registers(json, &thread->registers);
  ck_write_frames(json, stack);
  crp_json_end(json);
}

void ck_write_threads(ck_report *report) {
  bool crashed = report->fault.signal != 0;
  bool is_provided = threads_are_provided();
  crp_json_begin_array(&report->json, "threads");
  for (size_t i = 0; i < report->threads.count; ++i) {
    ck_thread *thread = &report->threads.entries[i];
    if (thread->gone) continue;
    ck_thread_read_wait(thread);
    if (crashed) ck_read_refused_wait(report, thread);
    write_thread(report, thread, crashed && i == 0, is_provided);
  }
  crp_json_end(&report->json);
}

void ck_write_provided(ck_report *report) { write_provided(report, 0); }

// Lists in the capture section, which needs the same knowledge of why.
void ck_write_unanswered(ck_report *report) {
  crp_json *json = &report->json;
  crp_json_begin_array(json, "unanswered");
  for (size_t i = 0; i < report->threads.count; ++i) {
    const ck_thread *thread = &report->threads.entries[i];
    if (thread->captured_by != CK_BY_NONE || thread->gone) continue;
    crp_json_begin_object(json, NULL);
    crp_json_integer(json, "id", thread->tid);
    crp_json_text(json, "reason", ck_thread_why_not_stopped(thread));
    crp_json_end(json);
  }
  crp_json_end(json);
}
