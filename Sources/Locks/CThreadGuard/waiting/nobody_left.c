// Whether there is any thread left that could post. System calls and plain memory, until something is reported.
//
// A thread counts as stuck if it waits without a limit for an object that ThreadGuard knows and that only this process
// can release, if the kernel says that it sleeps, and if it was in the same wait at the previous check.

#include "waiting/nobody_left.h"

#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "ground/engine_lock.h"
#include "ground/said_once.h"
#include "ground/thread_ids.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "CGround/memory.h"
#include "CGround/procfile.h"
#include "CGround/text.h"
#include "violations.h"

// Where glibc keeps of a semaphore whether other processes may post it: 0 if they may not (sysdeps/nptl, new_sem).
#define PRIVATE_WORD 2

// --- Handlers of signals may post ----------------------------------------------------------------------------------

// Faults, and what glibc keeps for itself: what their handlers do ends the process, or is nothing.
static uint64_t harmless_signals(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGABRT, 32, 33};
  uint64_t mask = 0;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) mask |= 1ull << (signals[i] - 1);
  return mask;
}

static bool has_handlers(void) {
  char text[4096];
  long size = cgr_file_read("/proc/self/status", text, sizeof text);
  if (size < 0) return true;
  const char *line = strstr(text, "\nSigCgt:\t");
  if (!line) return true;
  const char *at = line + strlen("\nSigCgt:\t");
  return cgr_parse_number(&at, text + size, 16) & ~harmless_signals();
}

// --- Who is stuck --------------------------------------------------------------------------------------------------

static bool holds(const struct ctg_thread_state *state, const struct ctg_held *wanted) {
  const struct ctg_held *held = ctg_held_find((struct ctg_thread_state *)state, wanted->address);
  return held && held->type == wanted->type && !(held->flags & CTG_GIVEN_BACK);
}

static bool is_live(const struct ctg_thread_state *state) {
  return atomic_load(&state->is_live) && atomic_load(&state->ending) == CTG_GOES_ON;
}

static bool is_held_here(const struct ctg_held *wanted) {
  const struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i)
    if (is_live(state) && holds(state, wanted)) return true;
  return false;
}

// Whether it is this process's own, so that another one cannot end the wait.
static bool is_own(const struct ctg_held *wanted) {
  if (wanted->type == CTG_THREAD || wanted->type == CTG_GROUP) return true;
  if (wanted->type != CTG_SEMAPHORE) return is_held_here(wanted);
  int words[PRIVATE_WORD + 1];
  return cgr_memory_read(wanted->address, words, sizeof words) == sizeof words && words[PRIVATE_WORD] != 128;
}

struct count {
  unsigned threads, asleep;
};

static void count_thread(int thread, void *context) {
  struct count *count = context;
  count->threads++;
  count->asleep += ctg_thread_run_state(thread) == 'S';
}

// A number for who waits in which waits; 0 where not all threads but the calling one do.
static uint64_t key_of_all(void) {
  struct count count = {0};
  ctg_thread_ids_visit(count_thread, &count);
  if (count.threads < 3 || count.asleep != count.threads - 1) return 0;
  const struct ctg_thread_state *state;
  uint64_t key = 1;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (!is_live(state)) continue;
    uint32_t waits = atomic_load(&state->waits);
    if (!(waits & 1) || !is_own(&state->wanted)) return 0;
    key += ((uint64_t)state->serial << 32 | waits) * 0x9e3779b97f4a7c15u;
    count.threads--;
  }
  // The calling thread has no state.
  return count.threads == 1 ? key : 0;
}

// --- Reporting ----------------------------------------------------------------------------------------------------

static void tell(const struct ctg_thread_state *poster, const struct ctg_thread_state *waiter) {
  const struct ctg_held *held = ctg_held_find((struct ctg_thread_state *)waiter, poster->wanted.address);
  if (!held) return;
  uintptr_t frames[3][CTG_NOTED_CALLERS];
  ctg_engine_lock();
  struct ctg_lock locks[] = {ctg_lock_described(held), ctg_lock_described(&waiter->wanted)};
  struct ctg_edge edges[] = {
      {.from = 0,
       .to = 1,
       .from_stack = ctg_stack_noted(held, frames[0]),
       .to_stack = ctg_stack_noted(&waiter->wanted, frames[1])},
      {.from = 1, .to = 0, .to_stack = ctg_stack_noted(&poster->wanted, frames[2])},
  };
  ctg_engine_unlock();
  edges[0].thread = ctg_thread_named(waiter);
  edges[1].thread = ctg_thread_named(poster);
  bool is_group = waiter->wanted.type == CTG_GROUP;
  struct ctg_violation violation = ctg_violation_of(
      CTG_RULE_NOBODY_LEFT,
      is_group ? "a thread waits for a group with a lock held, and every thread that could leave it waits too"
               : "a thread waits for a semaphore with a lock held, and every thread that could post it waits too");
  violation.locks = locks;
  violation.edges = edges;
  violation.lock_count = violation.edge_count = 2;
  ctg_violation_report(&violation);
}

static const struct ctg_thread_state *waiter_for(const struct ctg_thread_state *poster) {
  const struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i)
    if (state != poster && is_live(state) && ctg_is_posted(&state->wanted) && holds(state, &poster->wanted))
      return state;
  return NULL;
}

void ctg_nobody_left_look(uint64_t *suspicion) {
  uint64_t key = key_of_all();
  bool is_confirmed = key && key == *suspicion;
  *suspicion = key;
  if (!is_confirmed || has_handlers()) return;
  const struct ctg_thread_state *state, *waiter;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (!is_live(state) || ctg_is_posted(&state->wanted) || !(waiter = waiter_for(state))) continue;
    if (!ctg_was_said(key, 0)) tell(state, waiter);
    return;
  }
}
