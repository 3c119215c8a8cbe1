// The turn is a word, not a lock: a crashing thread waits a limited time and continues in any case. System calls only.

#include "threads/live_turn.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "CProcessHooks.h"
#include "CGround/clock.h"
#include "CGround/own_ids.h"
#include "CGround/signals.h"
#include "CGround/syscalls.h"

// Both hold the process along, since a fork takes them with it.
static _Atomic uint64_t working;   // process << 32 | thread
static _Atomic uint64_t crashing;  // the process

static void leave(const uint64_t *mask_before) {
  atomic_store(&working, 0);
  cph_signal_masks_are_fixed = false;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, mask_before, NULL, 8);
}

bool ck_live_take_turn(uint64_t *mask_before) {
  uint64_t process = (uint64_t)cgr_process_id();
  uint64_t mask = ~CGR_HANDLED_SIGNALS;
  *mask_before = 0;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, mask_before, 8);
  cph_signal_masks_are_fixed = true;
  atomic_store(&working, process << 32 | (uint32_t)cgr_thread_id());
  if (atomic_load(&crashing) != process) return true;
  leave(mask_before);
  return false;
}

void ck_live_end_turn(const uint64_t *mask_before) { leave(mask_before); }

void ck_live_make_way(void) {
  uint64_t process = (uint64_t)cgr_process_id();
  uint64_t self = process << 32 | (uint32_t)cgr_thread_id();
  atomic_store(&crashing, process);
  uint64_t end = cgr_monotonic_ns() + CK_LIVE_TURN_NS;
  for (uint64_t now; (now = atomic_load(&working)) >> 32 == process && now != self && cgr_monotonic_ns() < end;)
    cgr_rest(20000);
}
