// One stack: steps by libunwind if a function has unwind information, else by calls and by frame pointer.
// System calls, libunwind's generic side (see cfi_cursor.c) and memory reads that cannot fault.

#include "stack/unwind.h"

#include <link.h>
#include <signal.h>

#include "CProcessHooks.h"
#include "stack/cfi_cursor.h"
#include "CGround/clock.h"
#include "stack/fde.h"
#include "stack/kept_frames.h"
#include "CGround/memory.h"
#include "CGround/return_address.h"
#include "processor/operand.h"
#include "stack/prologue.h"
#include "CGround/stack_switch.h"
#include "stack/swift_async.h"
#include "swift_task_search.h"

#define CLOCK_EVERY_FRAMES 1024

static ck_unwind_source source;  // one thread unwinds at a time
static uint64_t signal_return;   // where handlers return to: the frame outside it was interrupted, not calling

// --- Steps ---------------------------------------------------------------------------------------------------

typedef struct position {
  uint64_t pc, sp, fp;
  bool interrupted;        // pc is where the thread was, rather than where it will return to
  bool at_bad_target;      // and it could not even begin there
  uint64_t async_context;  // of the Swift async function whose frame was left to come here; 0 for any other
} position;

static bool is_signal_return(uint64_t pc) { return pc == signal_return && signal_return != 0; }

// What a handler returns to is no place behind a call either.
static uint64_t lookup_address(const position *at) {
  return at->interrupted || is_signal_return(at->pc) ? at->pc : at->pc - 1;
}

// --- Swift's continuations -----------------------------------------------------------------------------------

// A Swift async function keeps its context in the word below the frame pointer that it saves. Where the ABI also marks
// such a frame, bit 60 of the saved frame pointer is set.
#define ASYNC_FRAME_MARK (1ull << 60)

static bool is_marked(uint64_t frame_pointer) { return frame_pointer >> 60 == 1; }

static bool read_slot(uint64_t address, uint64_t *context) { return ck_window_read(&source.window, address, context); }

// The context of the async function whose frame was left at `from`, if it was one.
static uint64_t async_context_of(const crp_images *images, const position *from, uint64_t outer_sp,
                                 uint64_t saved_frame_pointer) {
  uint64_t context = 0;
#if defined(CK_SWIFT_ASYNC_PROLOGUE)
  uint64_t start = ck_swift_async_function_start(images, lookup_address(from));
  if (start != 0) {
    // Interrupted before it stored its context, it still has it in a register.
    bool stored = !from->interrupted || from->pc - start >= CK_SWIFT_ASYNC_CONTEXT_STORED;
    bool known = source.registers.values[CK_REGISTER_PC] == from->pc;
    if (!stored) return known ? source.registers.values[CK_REGISTER_ASYNC_CONTEXT] : 0;
    return read_slot(outer_sp - CK_SWIFT_ASYNC_CONTEXT_BELOW, &context) ? context : 0;
  }
#else
  (void)images;
  (void)outer_sp;
#endif
  bool marked = is_marked(saved_frame_pointer) && from->fp > from->sp;
  return marked && read_slot(from->fp - 8, &context) ? context : 0;
}

// The same of an async function without a frame of its own: it neither changes the register that its context comes in
// nor saves it, so its caller seems to have it too.
static uint64_t frameless_async_context(const crp_images *images, ck_cursor *cursor, const position *caller) {
  uint64_t context;
  if (!ck_swift_calls_tasks(images, lookup_address(caller))
      || !ck_cursor_register(cursor, CK_REGISTER_ASYNC_CONTEXT, &context))
    return 0;
  return ck_checked_async_context(images, context);
}

// False if there is no end of them.
static bool keep_continuations(const crp_images *images, ck_stack *stack, uint64_t *seen, uint64_t context) {
  ck_continuations walk = {.context = context};
  for (uint64_t address; ck_next_continuation(images, &walk, &address);)
    ck_keep_frame(stack, seen, address, CK_FRAME_ASYNC_RESUME_POINT);
  return walk.seen < TERM_TASK_CONTEXTS_MAX;
}

static bool ends_stack(const crp_images *images, const position *at) {
  static struct {
    uint64_t pc;
    bool ends;
  } known[8];
  static unsigned next;
  uint64_t pc = lookup_address(at);
  for (int i = 0; i < 8; ++i)
    if (known[i].pc == pc) return known[i].ends;
  bool ends = ck_fde_ends_stack(crp_image_at(images, pc), pc);
  known[next % 8].pc = pc;
  known[next++ % 8].ends = ends;
  return ends;
}

// No call returns to where a function begins: this one was put at the stack's end for the first function to return to.
// makecontext does so, with nothing in front of it that a call could be in.
static bool is_made_up(const crp_images *images, const position *at) {
  return !at->interrupted && ck_fde_function_start(crp_image_at(images, at->pc), at->pc) == at->pc;
}

static bool plausible_code(const crp_images *images, uint64_t address) {
  const crp_image *image = crp_image_at(images, address - 1);
  if (image) return address - 1 < image->end_of_text;
  uint64_t word;
  return address > 4096 && cgr_memory_read(address - 8, &word, 8) == 8;
}

// What a frame returns to. What is no code without its signature is left as it is: it was never signed.
static uint64_t return_address(const crp_images *images, uint64_t word) {
  uint64_t address = cgr_without_signature(word);
  return address != word && plausible_code(images, address) ? address : word;
}

// The entries of an image's dynamic section that are looked through.
#define DYNAMIC_MAX 64

// At the first instruction of an image's _init or _fini, to which crti.o gives no unwind information. A thread that
// loads a library is found there as often as the page has to be read first.
static bool is_at_init(const crp_images *images, const position *at) {
  const crp_image *image = at->interrupted ? crp_image_at(images, at->pc) : NULL;
  for (int i = 0; image && i < DYNAMIC_MAX; ++i) {
    ElfW(Dyn) entry;
    if (cgr_memory_read(image->dynamic + (uint64_t)i * sizeof entry, &entry, sizeof entry) != sizeof entry
        || entry.d_tag == DT_NULL)
      return false;
    bool names_code = entry.d_tag == DT_INIT || entry.d_tag == DT_FINI;
    if (names_code && entry.d_un.d_ptr + image->load_bias == at->pc) return true;
  }
  return false;
}

// A call has pushed its return address and nothing else: one through a bad pointer, or one of _init.
static bool step_from_begun_call(const crp_images *images, position *at) {
  if (!at->at_bad_target && !is_at_init(images, at)) return false;
#if defined(CK_REGISTER_LR)
  if (at->at_bad_target && ck_came_by_return(&source.registers)) return false;
  uint64_t caller = source.registers.values[CK_REGISTER_LR];
  uint64_t sp = at->sp;
#else
  uint64_t caller;
  if (!ck_window_read(&source.window, at->sp, &caller)) return false;
  uint64_t sp = at->sp + 8;
#endif
  if (!crp_images_hold_code(images, caller - 1) || !ck_follows_call(caller)) return false;
  at->pc = caller;
  at->sp = sp;
  at->interrupted = at->at_bad_target = false;
  return true;
}

// Out of a function without a frame, which a frame pointer would pass over together with its caller.
static bool step_by_call(const crp_images *images, position *at) {
  uint64_t frame_pointers = at->fp >= at->sp ? at->fp + 8 : UINT64_MAX;
  uint64_t slot = ck_find_return_slot(images, &source.window, lookup_address(at), at->sp, frame_pointers), caller;
  if (slot == 0 || !ck_window_read(&source.window, slot, &caller)) return false;
  at->pc = caller;
  at->sp = slot + 8;
  at->interrupted = false;
  at->async_context = 0;
  return true;
}

static bool step_by_frame_pointer(const crp_images *images, position *at) {
  uint64_t saved, caller;
  bool outwards = at->fp >= at->sp && at->fp - at->sp < 1024 * 1024 && at->fp % 8 == 0;
  if (!outwards || !ck_window_read(&source.window, at->fp, &saved)
      || !ck_window_read(&source.window, at->fp + 8, &caller))
    return false;
  caller = return_address(images, caller);
  if (!plausible_code(images, caller)) return false;
  at->async_context = async_context_of(images, at, at->fp + 16, saved);
  at->pc = caller;
  at->sp = at->fp + 16;
  at->fp = is_marked(saved) ? saved & ~ASYNC_FRAME_MARK : saved;
  at->interrupted = false;
  return true;
}

static void current_registers(ck_cursor *cursor, ck_registers *out) {
  for (int i = 0; i < CK_REGISTER_COUNT; ++i)
    if (i > CK_REGISTER_PC || !ck_cursor_register(cursor, i, &out->values[i])) out->values[i] = 0;
}

static bool start_cursor(ck_cursor *cursor, const position *at, const ck_registers *registers) {
  source.registers = *registers;
  // The cursor takes its first address for an interrupted one: for a return address, name the call itself.
  source.registers.values[CK_REGISTER_PC] = lookup_address(at);
  source.registers.values[CK_REGISTER_SP] = at->sp;
  source.registers.values[CK_REGISTER_FP] = at->fp;
  return ck_cursor_init(cursor, &source);
}

// A thread that was looked at from outside has no frame pointer until a function shows what it must be.
static void recover_frame_pointer(const crp_images *images, ck_cursor *cursor, bool *cursor_valid, position *at) {
  if (at->fp != CK_FRAME_POINTER_UNKNOWN) return;
  uint64_t found = ck_recover_frame_pointer(images, &source.window, lookup_address(at), at->sp);
  if (found == 0) return;
  at->fp = found;
  if (!*cursor_valid) return;
  ck_registers registers;
  current_registers(cursor, &registers);
  *cursor_valid = start_cursor(cursor, at, &registers);
}

static void end(ck_stack *stack, ck_stack_end reason, uint64_t address) {
  stack->end = reason;
  stack->end_address = address;
}

// Moves one frame outwards; false at the end of the stack, with the reason set.
static bool step(const crp_images *images, ck_stack *stack, ck_cursor *cursor, bool *cursor_valid, position *at,
                 uint8_t *flags) {
  position from = *at;
  ck_registers registers = source.registers;
  if (*cursor_valid) {
    source.no_information = false;
    int result = ck_cursor_step(cursor);
    uint64_t word = 0;
    position to = {.interrupted = is_signal_return(from.pc)};
    bool got = result >= 0 && !source.no_information && ck_cursor_register(cursor, CK_REGISTER_PC, &word)
               && ck_cursor_register(cursor, CK_REGISTER_SP, &to.sp);
    if (got && (result == 0 || word == 0)) {
      end(stack, ends_stack(images, &from) ? CK_END_ENTRY : CK_END_ZERO_RETURN, from.pc);
      return false;
    }
    if (got) {
      to.pc = to.interrupted ? word : return_address(images, word);
      // The cursor is at another place than the frame.
      bool differs = cursor->is_behind || to.pc != word;
      if (!ck_cursor_register(cursor, CK_REGISTER_FP, &to.fp)) to.fp = 0;
      // A leaf, or vfork, whose caller's address is in a register, has nothing on the stack.
      bool stays = from.interrupted && to.sp == from.sp && to.pc != from.pc;
      if (to.sp <= from.sp && !to.interrupted && !stays && !cgr_is_return_to_other_stack(from.pc)) {
        end(stack, CK_END_NO_PROGRESS, from.pc);
        return false;
      }
      to.async_context = async_context_of(images, &from, to.sp, to.fp);
      if (to.async_context == 0) to.async_context = frameless_async_context(images, cursor, &to);
      if (is_marked(to.fp)) {
        // Unwind information of outer frames means the pointer without the mark.
        to.fp &= ~ASYNC_FRAME_MARK;
        differs = true;
      }
      if (differs) {
        current_registers(cursor, &registers);
        *cursor_valid = start_cursor(cursor, &to, &registers);
      }
      *at = to;
      *flags = to.interrupted ? CK_FRAME_PROGRAM_COUNTER : 0;
      stack->by_cfi = true;
      return true;
    }
    if (!source.no_information) {
      end(stack, ends_stack(images, &from) ? CK_END_ENTRY : CK_END_UNREADABLE, from.pc);
      return false;
    }
    if (is_made_up(images, &from)) {
      end(stack, CK_END_ENTRY, from.pc);
      return false;
    }
    // The failed step has left the cursor on guesses: what is known of this frame was read before it.
    *cursor_valid = false;
  }
  bool is_certain = step_from_begun_call(images, at) || step_by_call(images, at);
  if (!is_certain && !step_by_frame_pointer(images, at)) {
    end(stack, CK_END_NO_INFORMATION, from.pc);
    return false;
  }
  *flags = is_certain ? 0 : CK_FRAME_BY_FRAME_POINTER;
  stack->by_frame_pointer |= !is_certain;
  // Back to unwind information if the caller has it.
  *cursor_valid = ck_libunwind_is_open() && start_cursor(cursor, at, &registers);
  return true;
}

// The window is open already.
static void walk(const crp_images *images, const ck_registers *registers, bool at_bad_target, ck_stack *stack) {
  static ck_cursor cursor;
#if defined(CK_REGISTER_LR)
  // Of a thread that was looked at from outside.
  ck_registers with_return_address = *registers;
  if (registers->values[CK_REGISTER_FP] == CK_FRAME_POINTER_UNKNOWN) {
    uint64_t pc = registers->values[CK_REGISTER_PC], sp = registers->values[CK_REGISTER_SP];
    with_return_address.values[CK_REGISTER_LR] = ck_recover_return_address(images, &source.window, pc, sp);
    registers = &with_return_address;
  }
#endif
  position at = {.pc = registers->values[CK_REGISTER_PC],
                 .sp = registers->values[CK_REGISTER_SP],
                 .fp = registers->values[CK_REGISTER_FP],
                 .interrupted = true,
                 .at_bad_target = at_bad_target};
  source.registers = *registers;
  // No function has begun at a bad target. libunwind would take the caller for it and go on outside of that.
  bool cursor_valid = ck_libunwind_is_open() && !at_bad_target && start_cursor(&cursor, &at, registers);

  uint64_t seen = 0, started = cgr_monotonic_ns();
  uint8_t flags = CK_FRAME_PROGRAM_COUNTER;
  for (;;) {
    bool ends = keep_continuations(images, stack, &seen, at.async_context);
    ck_keep_frame(stack, &seen, at.pc, flags);
    stack->count = seen < CK_FRAMES_MAX ? (uint32_t)seen : CK_FRAMES_MAX;  // what a fault in the next step leaves
    if (!ends || seen >= CK_FRAMES_WALKED) {
      end(stack, CK_END_TOO_DEEP, at.pc);
      break;
    }
    if (seen % CLOCK_EVERY_FRAMES == 0 && cgr_monotonic_ns() - started > CK_UNWIND_LIMIT_NS) {
      end(stack, CK_END_TIME, at.pc);
      break;
    }
    recover_frame_pointer(images, &cursor, &cursor_valid, &at);
    if (!step(images, stack, &cursor, &cursor_valid, &at, &flags)) break;
  }
  // Of a single frame: by the way that was tried last, and found nothing outside of it.
  if (!stack->by_cfi && !stack->by_frame_pointer) *(cursor_valid ? &stack->by_cfi : &stack->by_frame_pointer) = true;
  ck_finish_frames(stack, seen);
}

void ck_unwind(const crp_images *images, const ck_registers *registers, bool at_bad_target, ck_stack *stack) {
  ck_window_open(&source.window, images, registers->values[CK_REGISTER_SP]);
  walk(images, registers, at_bad_target, stack);
}

void ck_unwind_copy(const crp_images *images, const ck_registers *registers, const ck_stack_copy *copy,
                    ck_stack *stack) {
  ck_window_open_copy(&source.window, images, copy);
  walk(images, registers, false, stack);
}

void ck_unwind_after_fault(void) {
  if (ck_libunwind_is_open()) ck_libunwind_without_cache();
}

bool ck_unwind_uses_libunwind(void) { return ck_libunwind_is_open(); }

// --- Install -------------------------------------------------------------------------------------------------

void ck_unwind_learn_signal_return(void) { signal_return = ck_signal_return(); }

bool ck_unwind_prepare(const crp_images *images) {
  if (!ck_libunwind_open()) return false;
  // First steps make what libunwind makes once: its pools and its cache.
  ck_cursor cursor;
  ucontext_t context;
  getcontext(&context);
  ck_registers_read(&source.registers, &context);
  ck_window_open(&source.window, images, source.registers.values[CK_REGISTER_SP]);
  if (ck_cursor_init(&cursor, &source))
    for (int i = 0; i < 2 && ck_cursor_step(&cursor) > 0; ++i) {
    }
  // A copy of the stack would keep a leak of the program's from LeakSanitizer.
  cgr_zero(&source, sizeof source);
  return true;
}
