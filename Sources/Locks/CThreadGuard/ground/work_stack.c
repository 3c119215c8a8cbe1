// ThreadGuard's own stacks. System calls, pthread_setcancelstate and abort only.

#include "ground/work_stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "CGround/held_signals.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "ground/full_tables.h"
#include "ground/pool.h"
#include "ground/state.h"

// A report needs some 50 KiB in a debug build, most of it to find its folder.
#define STACK_BYTES (192u * 1024)
// A multiple of the page size of every machine.
#define GUARD_BYTES (64u * 1024)
// More threads than that at a time map a stack for the time of their call.
#define KEPT_STACKS 16
#define STACKS_AT_START 2

struct kept_stack {
  _Atomic bool is_taken;
  char *_Atomic low;
};

static struct kept_stack kept[KEPT_STACKS];

// Where the calling thread is, and which of the kept stacks it has: a handler of a fault may have one more.
static __thread uintptr_t current __attribute__((tls_model("initial-exec")));
static __thread uint32_t taken __attribute__((tls_model("initial-exec")));

static __thread bool abort_is_due __attribute__((tls_model("initial-exec")));

// Bound as the program is loaded: the loader's own frames, for a call that it binds later, are larger than ours.
static int (*const volatile set_cancelling)(int state, int *before) = pthread_setcancelstate;

static char *map_stack(void) {
  char *pages = ctg_pages_map(GUARD_BYTES + STACK_BYTES);
  if (!pages) return NULL;
  if (cgr_syscall3(SYS_mprotect, pages, GUARD_BYTES, PROT_NONE) == 0) return pages + GUARD_BYTES;
  ctg_pages_unmap(pages, GUARD_BYTES + STACK_BYTES);
  return NULL;
}

// The number of one that is free, or -1.
static int take_kept(void) {
  for (int i = 0; i < KEPT_STACKS; ++i) {
    bool is_taken = false;
    if (!atomic_compare_exchange_strong(&kept[i].is_taken, &is_taken, true)) continue;
    if (!atomic_load(&kept[i].low)) atomic_store(&kept[i].low, map_stack());
    if (atomic_load(&kept[i].low)) return i;
    atomic_store(&kept[i].is_taken, false);
    break;
  }
  return -1;
}

static void call_on(char *low, void (*function)(void *), void *argument) {
  uintptr_t outer = current;
  current = (uintptr_t)low;
  cgr_call_on_stack(function, argument, low + STACK_BYTES);
  current = outer;
}

static bool call(void (*function)(void *), void *argument) {
  int number = take_kept();
  if (number >= 0) {
    taken |= 1u << number;
    call_on(kept[number].low, function, argument);
    taken &= ~(1u << number);
    atomic_store(&kept[number].is_taken, false);
    return true;
  }
  char *low = map_stack();
  if (!low) return false;
  call_on(low, function, argument);
  ctg_pages_unmap(low - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
  return true;
}

static bool is_on_one(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return current && here > current && here - current < STACK_BYTES;
}

// A handler of the program may leave abort() by a jump, out of all that calls this.
static void end_process(void) {
  abort_is_due = false;
  ctg_busy = 0;
  abort();
}

void ctg_abort_off_work_stack(void) {
  abort_is_due = true;
  if (!is_on_one()) end_process();
}

bool ctg_on_work_stack(void (*function)(void *), void *argument) {
  if (is_on_one()) {
    function(argument);
    return true;
  }
  int cancelling;
  set_cancelling(PTHREAD_CANCEL_DISABLE, &cancelling);
  uint64_t held = cgr_signals_hold(0);
  bool is_called = call(function, argument);
  cgr_signals_open(held);
  set_cancelling(cancelling, NULL);
  if (!is_called) ctg_limit_reached(CTG_LIMIT_STACKS);
  if (abort_is_due) end_process();
  return is_called;
}

void ctg_work_stacks_prepare(void) {
  for (int i = 0; i < STACKS_AT_START; ++i)
    if (!atomic_load(&kept[i].low)) atomic_store(&kept[i].low, map_stack());
}

void ctg_work_stacks_fork(void) {
  for (int i = 0; i < KEPT_STACKS; ++i)
    if (!(taken & 1u << i)) atomic_store(&kept[i].is_taken, false);
}
