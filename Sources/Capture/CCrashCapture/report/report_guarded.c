// The guarded memory that caused a death: where it was allocated, and where it was released.

#include "CGround/memory.h"
#include "processor/guard.h"
#include "report/report_stages.h"
#include "surroundings/guarded_memory.h"
#include "throws/type_name.h"

_Static_assert(CK_REGISTER_COUNT <= CRV_GUARDED_REGISTERS, "the guard keeps each of them");

// Under a guard of its own: what it found by then is kept.
static void unwind(const crp_images *images, const crv_guarded_stack *kept, ck_stack *stack) {
  ck_registers registers;
  cgr_copy(registers.values, kept->registers, sizeof registers.values);
  ck_stack_copy copy = {kept->start, kept->start + kept->size, kept->bytes};
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0) {
    ck_unwind_copy(images, &registers, &copy, stack);
  } else {
    cgr_guard_held = 0;
    stack->end = CK_END_FAULT;
    ck_unwind_after_fault();
  }
  CK_GUARD_LEAVE(outer);
}

// The guard's own functions come first: they end where the program's call of malloc or free returns to.
static void drop_own(ck_stack *stack, uint64_t caller) {
  uint32_t own = 0;
  while (own < stack->count && stack->addresses[own] != caller) ++own;
  // Not found in a damaged copy: but the caller itself is known.
  if (own == stack->count) {
    own = 0;
    stack->count = 1;
    stack->addresses[0] = caller;
    stack->flags[0] = 0;
    stack->end = CK_END_UNREADABLE;
  }
  stack->addresses += own;
  stack->flags += own;
  stack->count -= own;
  if (stack->omitted > 0) stack->omitted_after = stack->omitted_after > own ? stack->omitted_after - own : 0;
}

static void write_stack(ck_report *report, const ck_guarded_memory *memory, bool of_release) {
  static crv_guarded_stack kept;
  crp_json *json = &report->json;
  if (CK_FRAME_POOL - report->frames_used < CK_FRAMES_MAX) return;
  if (!ck_guarded_stack_read(memory, of_release, &kept)) return;
  ck_stack stack = {.addresses = report->frame_addresses + report->frames_used,
                    .flags = report->frame_flags + report->frames_used};
  unwind(&report->images, &kept, &stack);
  drop_own(&stack, kept.caller);
  crp_json_begin_object(json, of_release ? "released" : "allocated");
  crp_json_integer(json, "thread", kept.thread);
  ck_write_frames(json, &stack);
  crp_json_end(json);
}

static void write_type(crp_json *json, const ck_guarded_memory *memory) {
  char bytes[256];
  cgr_text text = CGR_TEXT(bytes);
  ck_object_type_write(memory->first_word, memory->size, &text);
  if (text.size > 0) crp_json_string(json, "type", text.bytes, text.size);
}

void ck_write_guarded(ck_report *report) {
  crp_json *json = &report->json;
  ck_guarded_memory memory;
  if (!ck_guarded_memory_find(&report->fault, &memory)) return;
  crp_json_begin_object(json, "guarded");
  crp_json_address(json, "address", memory.address);
  crp_json_integer(json, "size", (int64_t)memory.size);
  crp_json_integer(json, "offset", memory.offset);
  write_type(json, &memory);
  write_stack(report, &memory, false);
  write_stack(report, &memory, true);
  crp_json_end(json);
}
