#pragma once
// The stack of a program's handler: the stack on which the kernel would have called it, whatever stack the signal came
// to. If there is room, its siginfo and context are on that stack too. Then a handler that was left can continue later,
// also on another thread. CrashKit keeps the originals on its own stack, safe from the handler.

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef struct cph_handler_place {
  uintptr_t low, high;       // its frames lie between the two; `low` is a guess on a stack whose end is not known
  uintptr_t top;             // where its first frame begins; 0: on the stack that the signal came to
  uintptr_t start, touched;  // the kernel would have written between the two, downwards
  bool alternate;            // on the program's alternate stack
  bool restarts;             // at its top, over the frames of a handler that ran off it
  int part, next;            // of the thread's signal stacks: where the signal came, and where the next one is to come
  uint64_t mark;             // what the handler's mask has for it (CPH_HANDLER_MARK), set by the caller; 0 for none
  uint32_t marks_given_up;   // cph_mask_marks_given_up of then: the mark counts while that stays
  uintptr_t copy, frame;     // of the kernel's frame: its copy on the handler's stack, 0 for none; the original
  size_t frame_size;
  uint64_t serial;    // set while the handler runs; 0 if it runs on the stack that the signal came to
  uintptr_t witness;  // a word at the top of the handler's stack that goes when the stack is used again
} cph_handler_place;

typedef enum cph_place_found {
  CPH_PLACE_FOUND,
  // The kernel could not have called the handler: its stack is used up, too small or gone. A write to `touched`, if
  // that is not 0, ends as the kernel's would have.
  CPH_PLACE_UNREACHABLE,
  CPH_PLACE_TOO_DEEP,  // handlers have nested until no part of the thread's signal stacks is left
} cph_place_found;

/// Finds the place for a handler that was set with `flags`. For use in the handler that the kernel called, with what
/// the kernel gave it. Async-signal-safe.
cph_place_found cph_handler_place_find(cph_handler_place *place, const siginfo_t *info, const ucontext_t *context,
                                       int flags);

/// The part of the thread's signal stacks to which a signal should have come that came to a stack of the program's; -1
/// for none. For a thread that has them. Async-signal-safe.
int cph_handler_place_part_for(const siginfo_t *info, const ucontext_t *context);

/// Whether a fault is what cph_handler_place_find asked for: a write to `touched`, since the kernel would have killed a
/// process whose alternate stack is used up, past all handlers. Async-signal-safe.
bool cph_handler_place_has_ended(const siginfo_t *info);

/// The place where the signal came, for a handler that must run and has no better one. Async-signal-safe.
void cph_handler_place_here(cph_handler_place *place, const ucontext_t *context);

/// Whether a handler that was called at the place has not returned and was not left by a jump, by the thread's stack
/// pointer and the kernel's mask of now. Async-signal-safe.
bool cph_handler_place_is_live(const cph_handler_place *place, uintptr_t stack_pointer, uint64_t mask);

/// Gets the siginfo and the context that the handler is to see.
typedef void cph_place_function(void *argument, siginfo_t *info, ucontext_t *context);

/// Calls `function`, which is to call the handler, at the place. Signals that come meanwhile find a stack of their own.
/// The program sees its own alternate stack in the context until `function` has returned. Returns if the handler was
/// not left; if it was, its thread goes on at the interrupted place. Async-signal-safe.
void cph_handler_place_call(cph_handler_place *place, siginfo_t *info, ucontext_t *context,
                            cph_place_function *function, void *argument);

/// Has the return to `context` give the kernel an alternate stack of the thread's own. The context may have come from
/// another thread, or from a time when another handler ran. For use behind a handler. Async-signal-safe.
void cph_handler_place_leave_alternate(ucontext_t *context);

/// The alternate stack of a thread as the kernel calls a handler itself: the kernel's, and the program's.
typedef struct cph_plain_stacks {
  stack_t kernels, programs;
} cph_plain_stacks;

/// The program sees its own alternate stack in the context of such a handler. Behind the handler, the program's becomes
/// what the context has then, and the return gives the kernel one of the thread's own. Async-signal-safe.
cph_plain_stacks cph_handler_place_enter_plain(ucontext_t *context);
void cph_handler_place_leave_plain(ucontext_t *context, const cph_plain_stacks *stacks);

/// Whether the handler with this serial was left by a jump or a switch of contexts, and the memory of its place may be
/// in use again. `place` is not read. To be asked with all signals blocked. Async-signal-safe.
bool cph_handler_place_was_left(const cph_handler_place *place, uint64_t serial);

#pragma GCC visibility pop
