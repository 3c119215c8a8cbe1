// Running a handler of the program where the kernel would have run it. System calls only.

#include "handler_places.h"

#include <stdatomic.h>
#include <stddef.h>

#include "CGround/memory.h"
#include "call_filters.h"
#include "go_handlers.h"
#include "left_parts.h"
#include "process_masks.h"
#include "signal_frames.h"
#include "signal_stacks.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"

#if defined(__x86_64__)
#define REGISTERS gregs
#else
#define REGISTERS regs
#endif

// The handlers that have not returned, the innermost last. One that jumped away is found out by the next signal. They
// are kept beside the signal stacks: what overruns the thread's own stack does not reach them.
typedef struct running_handlers {
  unsigned depth;
  cph_left_parts left;
  const cph_handler_place *places[CPH_SIGNAL_STACK_PARTS];
  uint64_t serials[CPH_SIGNAL_STACK_PARTS];
  uint8_t parts[CPH_SIGNAL_STACK_PARTS];  // where the place lies
} running_handlers;
_Static_assert(sizeof(running_handlers) <= CPH_SIGNAL_STACK_STATE_BYTES, "what is set aside beside the stacks");

static running_handlers *running(void) { return cph_signal_stack_state(); }

// How far below a stack's end what runs off it comes: no guard is larger.
#define BEYOND_BYTES (64 * 1024)

// A fault below a stack's end, by a thread that is there.
static bool ran_off(uintptr_t low, uintptr_t stack_pointer, const siginfo_t *info) {
  uintptr_t address = (uintptr_t)info->si_addr;
  bool is_fault = info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
  return is_fault && stack_pointer < low && low - stack_pointer <= BEYOND_BYTES && address < low
         && low - address <= BEYOND_BYTES;
}

#define WITNESS 0x63706877746e6573ull

static bool has_witness(const cph_handler_place *place) {
  uint64_t word;
  return cgr_word_peek(place->witness, &word) && word == (WITNESS ^ (uintptr_t)place);
}

// How far below its alternate stack a handler may be that ran off it, if no guard stopped it at once.
#define FAR_BEYOND_BYTES (1024 * 1024)

static uint64_t mark_of(const cph_handler_place *place) {
  return place->marks_given_up == cph_mask_marks_given_up() ? place->mark : 0;
}

bool cph_handler_place_is_live(const cph_handler_place *place, uintptr_t stack_pointer, uint64_t mask) {
  uint64_t mark = mark_of(place);
  if (mark && !(mark & mask)) return false;
  if (stack_pointer >= place->low && stack_pointer < place->high)
    return place->top == 0 || (stack_pointer < place->witness && has_witness(place));
  // An exception that leaves the handler leaves the mark behind, but not below the stack.
  return mark && place->alternate && stack_pointer < place->low && place->low - stack_pointer <= FAR_BEYOND_BYTES;
}

// A place lies on a part, unless something has written over the words.
static unsigned sound_depth(void) {
  if (running()->depth > CPH_SIGNAL_STACK_PARTS) return 0;
  for (unsigned i = 0; i < running()->depth; ++i)
    if (cph_signal_stack_part_at((uintptr_t)running()->places[i]) < 0) return 0;
  return running()->depth;
}

// A handler inside another one has the mark of both: the inner one was left if the thread is where the outer one is.
static bool is_where_outer_is(unsigned index, uintptr_t stack_pointer) {
  const cph_handler_place *inner = running()->places[index];
  return index > 0 && stack_pointer >= inner->high && stack_pointer < running()->places[index - 1]->high
         && stack_pointer >= running()->places[index - 1]->low;
}

// One that has a copy on its own stack needs no more than that.
static void keep_part_of(unsigned index) {
  const cph_handler_place *place = running()->places[index];
  if (place->alternate && !place->copy) cph_left_parts_keep(&running()->left, running()->parts[index], place->low);
}

static void forget_those_left(const siginfo_t *info, const ucontext_t *context) {
  uintptr_t stack_pointer = cgr_context_stack_pointer(context);
  uint64_t mask = *(const uint64_t *)&context->uc_sigmask;
  unsigned live = sound_depth();
  for (; live > 0; --live) {
    const cph_handler_place *place = running()->places[live - 1];
    // A jump out of the handler takes the mark back: then it is another stack below that ran over.
    bool may_run = !mark_of(place) || mark_of(place) & mask;
    if (place->alternate && may_run && ran_off(place->low, stack_pointer, info)) break;
    if (cph_handler_place_is_live(place, stack_pointer, mask) && !is_where_outer_is(live - 1, stack_pointer)) break;
    keep_part_of(live - 1);
  }
  running()->depth = live;
}

// Whether handlers run on the stack, and one of them began over the frames of another.
static bool is_in_use(const stack_t *alternate, bool *has_restarted) {
  bool is_used = false;
  *has_restarted = false;
  for (unsigned i = 0; i < running()->depth; ++i) {
    const cph_handler_place *place = running()->places[i];
    if (!place->alternate || place->low != (uintptr_t)alternate->ss_sp) continue;
    is_used = true;
    *has_restarted |= place->restarts;
  }
  return is_used;
}

_Static_assert(CPH_SIGNAL_STACK_PARTS == 32, "one bit for each part");

static int unused_part(int besides) {
  uint32_t used = besides >= 0 ? 1u << besides : 0;
  for (unsigned i = 0; i < running()->depth; ++i) used |= 1u << (running()->places[i]->part & 31);
  return cph_left_parts_choose(&running()->left, used);
}

static void drop(unsigned index) {
  for (--running()->depth; index < running()->depth; ++index) {
    running()->places[index] = running()->places[index + 1];
    running()->serials[index] = running()->serials[index + 1];
    running()->parts[index] = running()->parts[index + 1];
  }
}

// The kernel has begun this part anew: a thread that switched to another context took along the alternate stack of an
// earlier time. What lay there is written over.
static void forget_those_on(int part) {
  cph_left_parts_drop(&running()->left, part, 0);
  for (unsigned i = 0; i < running()->depth && i < CPH_SIGNAL_STACK_PARTS;)
    if (running()->parts[i] == part)
      drop(i);
    else
      ++i;
}

// A handler that leaves its own signal open, and jumps away from ever deeper places, may leave its witness in what no
// later frame wrote to. So many handlers inside each other are such a case, not handlers that are still running.
static bool forget_outermost_without_mark(void) {
  unsigned index = 0;
  while (index < running()->depth && mark_of(running()->places[index])) ++index;
  if (index == running()->depth) return false;
  drop(index);
  return true;
}

// All that the outermost handler needs for its return is on its own stack, if its frame was copied there.
static bool forget_outermost_with_copy(void) {
  if (running()->depth == 0 || running()->places[0]->copy == 0) return false;
  drop(0);
  return true;
}

// For one more handler where each part has its own. Without a part, nothing would be reported of a fault inside it.
static int freed_part(bool is_fault, int besides) {
  bool is_free = (is_fault && forget_outermost_without_mark()) || forget_outermost_with_copy();
  return is_free ? unused_part(besides) : -1;
}

// The kernel writes there as it would for the handler: a stack that can grow grows.
static bool can_write(uintptr_t address) {
  return cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, address & ~(uintptr_t)7, 8) == 0;
}

#define PAGE_BYTES 4096  // the smallest of the supported machines

static bool can_write_between(uintptr_t low, uintptr_t high) {
  for (uintptr_t address = high - 8; address > low; address = address > PAGE_BYTES ? address - PAGE_BYTES : 0)
    if (!can_write(address)) return false;
  return can_write(low);
}

static uintptr_t far_below(uintptr_t address) {
  return address > CPH_STACK_REACH_BYTES ? address - CPH_STACK_REACH_BYTES : 0;
}

// The signal came to the stack that it interrupted, or to one that the program set by a system call of its own.
static void stay_here(cph_handler_place *place, const ucontext_t *context, uintptr_t here) {
  place->top = 0;
  place->high = here;
  place->alternate = cph_stack_holds(&context->uc_stack, here);
  place->low = place->alternate ? (uintptr_t)context->uc_stack.ss_sp : far_below(here);
}

#define LEFT_REGISTERS_BYTES (sizeof((mcontext_t *)NULL)->REGISTERS + 16)

// The trampoline's frames, and what interposed functions use more than libc's do.
#define TRAMPOLINE_BYTES 832
// An alternate stack has room for a copy of the frame and the trampoline if it has this much below them. On smaller
// ones fewer handlers inside each other would fit than without CrashKit.
#define ROOMY_BYTES (32 * 1024)

// The handler finds its siginfo and context on its own stack, as the kernel would have put them there. The trampoline's
// frames lie below the copy, or in the room of a copy on a stack that is too small for both.
static void place_frame(cph_handler_place *place, uintptr_t frame, size_t size) {
  uintptr_t copy = place->start - size;
  copy -= (copy - frame) % CPH_SIGNAL_FRAME_ALIGNMENT;
  uintptr_t below = copy & ~(uintptr_t)15, lowest = below - TRAMPOLINE_BYTES;
  bool has_room = place->alternate ? lowest > place->low + ROOMY_BYTES : can_write_between(lowest, place->touched);
  if (has_room) {
    place->copy = copy;
    place->frame = frame;
    place->frame_size = size;
    place->top = below;
  } else {
    place->top = place->touched + (size > TRAMPOLINE_BYTES + LEFT_REGISTERS_BYTES ? TRAMPOLINE_BYTES : 0);
  }
}

__attribute__((noinline)) void cph_handler_place_here(cph_handler_place *place, const ucontext_t *context) {
  stay_here(place, context, (uintptr_t)__builtin_frame_address(0));
}

// What runs off an alternate stack, the kernel kills at once, whatever lies below.
static cph_place_found unreachable(cph_handler_place *place) {
  place->touched = cph_signal_stack_end();
  return CPH_PLACE_UNREACHABLE;
}

bool cph_handler_place_has_ended(const siginfo_t *info) {
  return info->si_code > 0 && cph_signal_stack_is_attached() && cph_signal_stack_is_end((uintptr_t)info->si_addr);
}

int cph_handler_place_part_for(const siginfo_t *info, const ucontext_t *context) {
  forget_those_left(info, context);
  return unused_part(-1);
}

__attribute__((noinline)) cph_place_found cph_handler_place_find(cph_handler_place *place, const siginfo_t *info,
                                                                 const ucontext_t *context, int flags) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), interrupted = cgr_context_stack_pointer(context);
  *place = (cph_handler_place){0};
  if (cph_signal_stack_is_lost(&context->uc_stack)) return CPH_PLACE_UNREACHABLE;
  place->part = cph_signal_stack_part_at(here);
  // Where the program's thread has none of its own, Go has taken ours.
  bool takes_ours = cph_asks_kernel_for_stack && flags & SA_ONSTACK && cph_signal_stack_programs().ss_size == 0;
  if (place->part < 0 || cph_signal_stack_part_at(interrupted) >= 0 || takes_ours
      || (cph_calls_may_be_filtered() && cph_stacks_are_refused())) {
    stay_here(place, context, here);
    return CPH_PLACE_FOUND;
  }
  stack_t programs = cph_signal_stack_programs(), part = cph_signal_stack_part(place->part);
  bool is_on_it = cph_stack_holds(&programs, interrupted);
  bool changes = flags & SA_ONSTACK && !(programs.ss_flags & SS_DISABLE) && programs.ss_size > 0 && !is_on_it;
  forget_those_on(place->part);
  forget_those_left(info, context);
  if (changes) cph_left_parts_drop(&running()->left, -1, (uintptr_t)programs.ss_sp);
  place->next = unused_part(place->part);
  if (place->next < 0) place->next = freed_part(info->si_code > 0, place->part);
  if (place->next < 0) return CPH_PLACE_TOO_DEEP;

  uintptr_t start = changes ? (uintptr_t)programs.ss_sp + programs.ss_size : interrupted - CGR_RED_ZONE_BYTES;
  uintptr_t written = (uintptr_t)info < (uintptr_t)context ? (uintptr_t)info : (uintptr_t)context;
  size_t frame = (uintptr_t)part.ss_sp + part.ss_size - written + 8;
  // The kernel begins over the frames of a handler that ran off the stack. One that jumps out saves the program; if it
  // runs off the stack too, the kernel would begin again for ever.
  bool has_restarted = false;
  place->restarts = changes && is_in_use(&programs, &has_restarted);
  if (has_restarted) return CPH_PLACE_UNREACHABLE;
  place->alternate = changes || is_on_it;
  place->high = changes ? start : interrupted;
  place->low = place->alternate ? (uintptr_t)programs.ss_sp : far_below(interrupted);
  if (start < frame + TRAMPOLINE_BYTES || (place->alternate && start - frame < place->low)) return unreachable(place);
  place->start = start;
  place->touched = (start - frame) & ~(uintptr_t)15;
  if (!can_write_between(place->touched, start)) return CPH_PLACE_UNREACHABLE;
  place_frame(place, written - 8, frame);
  return CPH_PLACE_FOUND;
}

static _Atomic uint64_t next_serial = 1;

// A part is used again as soon as the handler that a signal there called has been left. So a handler that was left and
// goes on later finds nothing of its own there: all it needs then is on its own stack.
typedef struct call {
  cph_handler_place *place;
  stack_t next;
  cph_place_function *function;
  void *argument;
  siginfo_t *info;
  ucontext_t *context;
} call;

bool cph_handler_place_was_left(const cph_handler_place *place, uint64_t serial) {
  if (serial == 0) return false;
  if (!cph_signal_stack_is_attached()) return true;
  for (unsigned i = 0; i < sound_depth(); ++i)
    if (running()->places[i] == place && running()->serials[i] == serial) return false;
  return true;
}

void cph_handler_place_leave_alternate(ucontext_t *context) {
  if (!cph_signal_stack_is_attached() || !cph_signal_stack_is_one_of_ours(&context->uc_stack)) return;
  if (cph_signal_stack_part_at((uintptr_t)__builtin_frame_address(0)) >= 0) return;
  int part = unused_part(-1);
  if (part >= 0) context->uc_stack = cph_signal_stack_part(part);
}

cph_plain_stacks cph_handler_place_enter_plain(ucontext_t *context) {
  cph_plain_stacks stacks = {context->uc_stack, cph_signal_stack_enter_handler()};
  if (cph_signal_stack_is_one_of_ours(&stacks.kernels)) context->uc_stack = stacks.programs;
  return stacks;
}

void cph_handler_place_leave_plain(ucontext_t *context, const cph_plain_stacks *stacks) {
  bool is_shown = cph_signal_stack_is_one_of_ours(&stacks->kernels);
  if (cph_signal_stack_is_attached()) cph_signal_stack_restore(is_shown ? context->uc_stack : stacks->programs);
  if (is_shown) context->uc_stack = stacks->kernels;
  cph_handler_place_leave_alternate(context);
}

__attribute__((noinline, noreturn)) static void return_from_copy(const siginfo_t *info, ucontext_t *context) {
  if (cph_signal_stack_is_attached()) {
    cph_signal_stack_restore(context->uc_stack);
    context->uc_stack = cph_signal_stack_part(0);
    cph_handler_place_leave_alternate(context);
  }
  cph_signal_frame_return(info, context);
}

// On the handler's stack: only from there can the kernel be given another part.
static void begin(void *argument) {
  const call *call = argument;
  const cph_handler_place *place = call->place;
  siginfo_t *info = call->info;
  ucontext_t *context = call->context;
  uint64_t serial = place->serial;
  bool is_copy = place->copy != 0;
  volatile uint64_t witness = WITNESS ^ (uintptr_t)place;
  call->place->witness = (uintptr_t)&witness;
  cgr_syscall2(SYS_sigaltstack, &call->next, NULL);
  call->function(call->argument, info, context);
  witness = 0;
  if (is_copy && cph_handler_place_was_left(place, serial)) return_from_copy(info, context);
}

// A collector that scans the thread's stack finds the interrupted registers in the room of the kernel's frame.
static void leave_registers(const cph_handler_place *place, const ucontext_t *context) {
  size_t size = sizeof context->uc_mcontext.REGISTERS;
  if (place->start - place->top < LEFT_REGISTERS_BYTES) return;
  cgr_copy((void *)((place->start - size) & ~(uintptr_t)7), &context->uc_mcontext.REGISTERS, size);
}

// What the kernel has while the handler runs. Go asks it whether its handler is on the stack that the thread has. If
// the kernel says so, the next signal comes there too, as without CrashKit.
static stack_t kernels_stack(const cph_handler_place *place, stack_t programs) {
  bool is_asked = cph_asks_kernel_for_stack && place->alternate;
  return is_asked && !((unsigned)programs.ss_flags & CPH_SS_AUTODISARM) ? programs : cph_signal_stack_part(place->next);
}

// It has returned, and so have those inside it.
static void forget(const cph_handler_place *place) {
  for (unsigned i = 0; i < sound_depth(); ++i)
    if (running()->places[i] == place) running()->depth = i;
}

void cph_handler_place_call(cph_handler_place *place, siginfo_t *info, ucontext_t *context,
                            cph_place_function *function, void *argument) {
  stack_t shown = cph_signal_stack_enter_handler();
  if (place->top == 0) {
    function(argument, info, context);
    if (cph_signal_stack_is_attached()) cph_signal_stack_restore(shown);
    return;
  }
  place->serial = atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed);
  running()->serials[running()->depth] = place->serial;
  running()->parts[running()->depth] = (uint8_t)place->part;
  running()->places[running()->depth++] = place;

  context->uc_stack = shown;
  call call = {place, kernels_stack(place, shown), function, argument, info, context};
  uintptr_t offset = place->copy - place->frame;
  if (place->copy) {
    cph_signal_frame_copy(place->copy, place->frame, place->frame_size, context);
    call.info = (siginfo_t *)((uintptr_t)info + offset);
    call.context = (ucontext_t *)((uintptr_t)context + offset);
  } else {
    leave_registers(place, context);
  }
  cgr_call_on_stack(begin, &call, (void *)place->top);
  if (place->copy) cph_signal_frame_copy(place->frame, place->copy, place->frame_size, call.context);

  // A return from a handler puts back the stack of the context.
  cph_signal_stack_restore(context->uc_stack);
  stack_t part = cph_signal_stack_part(place->part);
  cgr_syscall2(SYS_sigaltstack, &part, NULL);
  forget(place);
  cph_left_parts_drop(&running()->left, place->part, 0);
  context->uc_stack = cph_signal_stack_part(unused_part(-1));
}
