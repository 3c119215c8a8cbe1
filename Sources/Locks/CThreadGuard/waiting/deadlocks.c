// The current graph of threads that wait for each other. It is walked under the engine's lock while the threads run, so
// a deadlock counts only if two checks find it. A thread's count of waits shows that it has waited all the time, and a
// waiting thread cannot release a lock.

#include "waiting/deadlocks.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>

#include "CGround/memory.h"
#include "current/queue_owner.h"
#include "ground/engine_lock.h"
#include "ground/pool.h"
#include "ground/said_once.h"
#include "ground/state.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "locks/records.h"
#include "locks/stacks.h"
#include "violations.h"
#include "waiting/ended_threads.h"

#define THREADS_MAX 1024u

// A thread that waits, and the lock of its that the one before it waits for.
struct station {
  struct ctg_thread_state *thread;
  const struct ctg_held *held;
  struct ctg_held wanted;
  struct ctg_held queue;  // what `held` points to where libdispatch alone knows that the thread runs it
  uint32_t waits, next_to_ask;
};

struct route {
  unsigned count;
  struct station stations[THREADS_MAX];
};

static uint32_t searches;

// Work that came to a queue by itself is noted nowhere, but while a thread waits for the queue, the queue can be read.
static bool runs_queue(const struct ctg_thread_state *state, const struct ctg_held *wanted) {
  return wanted->type == CTG_QUEUE && ctg_queue_is_run_by(wanted->address, state->id);
}

static bool is_joined(const struct ctg_thread_state *state, const struct ctg_held *wanted) {
  return wanted->type == CTG_THREAD && state->handle == wanted->address;
}

// While a thread waits for a Mutex, the kernel marks the word, in which the id of the thread stands that has it. Later
// runtimes have a word that names no thread, and that the kernel does not mark.
static pid_t owner_in_word(const struct ctg_held *wanted) {
  uint32_t word = 0;
  if (wanted->type != CTG_SWIFT_MUTEX) return 0;
  if (cgr_memory_read(wanted->address, &word, sizeof word) != sizeof word || !(word & FUTEX_WAITERS)) return 0;
  return (pid_t)(word & FUTEX_TID_MASK);
}

// The next thread from `*index` on that holds the lock in a mode that keeps the waiter out.
static struct ctg_thread_state *holder_of(const struct ctg_held *wanted, uint32_t *index,
                                          const struct ctg_held **held) {
  struct ctg_thread_state *state;
  pid_t owner = owner_in_word(wanted);
  for (; (state = ctg_thread_at(*index)); ++*index) {
    if (!atomic_load_explicit(&state->is_live, memory_order_acquire)) continue;
    const struct ctg_held *found = ctg_held_find(state, wanted->address);
    bool has_it = runs_queue(state, wanted) || is_joined(state, wanted) || (owner != 0 && state->id == owner);
    if (!found && has_it) found = wanted;
    if (!found || found->type != wanted->type || (found->flags & CTG_GIVEN_BACK)) continue;
    bool share = found->flags & wanted->flags & CTG_TAKEN_SHARED;
    if (share && !(wanted->flags & CTG_LOCK_PREFERS_WRITERS)) continue;
    ++*index;
    *held = found;
    return state;
  }
  return NULL;
}

static bool is_waiting(const struct ctg_thread_state *state) {
  return atomic_load_explicit(&state->waits, memory_order_acquire) & 1;
}

// Where it was taken is known only of what stands on the thread's own stack.
static void hold(struct station *station, const struct ctg_held *held) {
  station->held = held;
  if (!held || (held >= station->thread->held && held < station->thread->held + CTG_HELD_MAX)) return;
  station->queue = (struct ctg_held){.address = held->address, .type = held->type};
  station->held = &station->queue;
}

static void enter(struct route *route, struct ctg_thread_state *thread, const struct ctg_held *held) {
  thread->search = searches;
  struct station *station = &route->stations[route->count++];
  *station = (struct station){.thread = thread, .waits = atomic_load(&thread->waits)};
  ctg_held_copy(&station->wanted, &thread->wanted);
  hold(station, held);
}

// Whether the route comes back to its start. A way that leads nowhere is left again.
static bool walk(struct route *route, struct ctg_thread_state *waiter) {
  searches++;
  route->count = 0;
  enter(route, waiter, NULL);
  while (route->count) {
    struct station *last = &route->stations[route->count - 1];
    const struct ctg_held *held;
    struct ctg_thread_state *next = holder_of(&last->wanted, &last->next_to_ask, &held);
    if (!next) {
      route->count--;
    } else if (next == waiter && (route->count > 1 || last->wanted.type != CTG_RWLOCK)) {
      hold(&route->stations[0], held);
      return true;
    } else if (next->search != searches && is_waiting(next) && route->count < THREADS_MAX) {
      enter(route, next, held);
    }
  }
  return false;
}

static uint64_t key_of(const struct route *route) {
  uint64_t key = 1;
  // What was read of each thread was read before its count is looked at again: see ctg_wait_ends.
  atomic_thread_fence(memory_order_acquire);
  for (unsigned i = 0; i < route->count; ++i) {
    const struct station *station = &route->stations[i];
    uint64_t wait = (uint64_t)station->thread->serial << 32 | station->waits;
    if (!(station->waits & 1) || atomic_load(&station->thread->waits) != station->waits) return 0;
    key += (wait * 0x9e3779b97f4a7c15u) ^ wait >> 29;
  }
  return key;
}

// --- Reporting --------------------------------------------------------------------------------------------------

struct told {
  struct ctg_lock locks[THREADS_MAX];
  struct ctg_edge edges[THREADS_MAX];
  uintptr_t frames[THREADS_MAX][2][CTG_NOTED_CALLERS];
};

// Station i holds lock i, and waits for the lock of station i + 1.
static void tell(const struct route *route, enum ctg_rule rule) {
  struct told *told = ctg_pages_map(sizeof *told);
  if (!told) return;
  ctg_engine_lock();
  for (unsigned i = 0; i < route->count; ++i) {
    const struct station *station = &route->stations[i];
    told->locks[i] = ctg_lock_described(station->held);
    told->edges[i] = (struct ctg_edge){
        .from = i,
        .to = (i + 1) % route->count,
        .from_mode = station->held->flags & CTG_TAKEN_SHARED ? CTG_SHARED : CTG_EXCLUSIVE,
        .to_mode = station->wanted.flags & CTG_TAKEN_SHARED ? CTG_SHARED : CTG_EXCLUSIVE,
        .from_stack = ctg_stack_noted(station->held, told->frames[i][0]),
        .to_stack = ctg_stack_noted(&station->wanted, told->frames[i][1]),
    };
  }
  ctg_engine_unlock();
  for (unsigned i = 0; i < route->count; ++i) told->edges[i].thread = ctg_thread_named(route->stations[i].thread);
  char message[128];
  snprintf(message, sizeof message, "%u threads wait for each other's locks", route->count);
  struct ctg_violation violation = ctg_violation_of(rule, route->count > 1 ? message : NULL);
  violation.locks = told->locks;
  violation.edges = told->edges;
  violation.lock_count = violation.edge_count = route->count;
  ctg_violation_report(&violation);
  ctg_pages_unmap(told, sizeof *told);
}

// --- Looking -----------------------------------------------------------------------------------------------------

void ctg_deadlock_look(struct ctg_thread_state *waiter, uint64_t *suspicion) {
  if (ctg_ending_tell_waiter(waiter)) return;
  struct route *route = ctg_pages_map(sizeof *route);
  if (!route) return;
  ctg_engine_lock();
  uint64_t key = walk(route, waiter) ? key_of(route) : 0;
  ctg_engine_unlock();
  bool is_confirmed = key && key == *suspicion;
  *suspicion = key;
  if (is_confirmed && !ctg_was_said(key, 0)) tell(route, CTG_RULE_DEADLOCK);
  ctg_pages_unmap(route, sizeof *route);
}

static void tell_own(struct ctg_thread_state *self) {
  const struct ctg_held *held = ctg_held_find(self, self->wanted.address);
  struct route *route = held ? ctg_pages_map(sizeof *route) : NULL;
  if (!route) return;
  enter(route, self, held);
  tell(route, CTG_RULE_SELF_DEADLOCK);
  ctg_pages_unmap(route, sizeof *route);
}

void ctg_deadlock_own(struct ctg_thread_state *self) {
  if (ctg_busy) return;
  ctg_busy++;
  int error = errno;
  ctg_wait_note_stacks(self);
  tell_own(self);
  errno = error;
  ctg_busy--;
}
