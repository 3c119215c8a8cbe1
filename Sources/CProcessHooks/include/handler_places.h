#pragma once
// Where a handler of the program runs: on the stack on which the kernel would have called it, whatever stack the signal
// came to. Its siginfo and context stay on ours, where they are safe from what the handler does.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef struct cph_handler_place {
  uintptr_t low, high;  // its frames lie between the two; `low` is a guess on a stack whose end is not known
  uintptr_t top;        // where its first frame begins; 0: on the stack that the signal came to
  uintptr_t start, touched;  // the kernel would have written between the two, downwards
  bool alternate;       // on the program's alternate stack
  int part, next;       // of the thread's signal stacks: where the signal came, and where the next one is to come
  uint64_t mark;        // what the handler's mask has for it (cph_mask_mark), set by the caller; 0 for none
  uintptr_t witness;    // a word at the top of the handler's stack that goes when the stack is used again
} cph_handler_place;

/// Whether the program holds a runtime that asks the kernel for its alternate stack, past libc, and takes ours for its
/// own, as Go's does: its handlers stay on ours. Set as handlers are.
extern bool cph_asks_kernel_for_stack;

typedef enum cph_place_found {
  CPH_PLACE_FOUND,
  CPH_PLACE_UNREACHABLE,  // the kernel could not have called the handler: its stack is used up, too small or gone
  CPH_PLACE_TOO_DEEP,     // handlers have nested until no part of the thread's signal stacks is left
} cph_place_found;

/// Finds the place for a handler that was set with `flags`. For use in the handler that the kernel called, with what the
/// kernel gave it. Async-signal-safe.
cph_place_found cph_handler_place_find(cph_handler_place *place, const siginfo_t *info, const ucontext_t *context,
                                       int flags);

/// The place where the signal came, for a handler that must run and has no better one. Async-signal-safe.
void cph_handler_place_here(cph_handler_place *place, const ucontext_t *context);

/// Whether a handler that was called at the place has not returned and was not left by a jump, by the thread's stack
/// pointer and the kernel's mask of now. Async-signal-safe.
bool cph_handler_place_is_live(const cph_handler_place *place, uintptr_t stack_pointer, uint64_t mask);

/// Calls `function`, which is to call the handler, at the place. Signals that come meanwhile find a stack of their own.
/// The program sees its own alternate stack in the context until `function` has returned. Async-signal-safe.
void cph_handler_place_call(cph_handler_place *place, ucontext_t *context, void (*function)(void *),
                            void *argument);

#pragma GCC visibility pop
