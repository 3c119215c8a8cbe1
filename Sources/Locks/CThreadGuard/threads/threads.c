// The table of threads. Ordinary libc, none of it interposed, and no allocation.

#include "ground/state.h"
#include "threads/thread_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ground/engine_lock.h"
#include "ground/full_tables.h"
#include "ground/pool.h"
#include "threads/swift_tasks.h"

// glibc keeps the values of the first keys in the thread itself, and allocates for those behind.
#define KEYS_IN_THREAD 32

__thread struct ctg_thread_state *ctg_thread_self __attribute__((tls_model("initial-exec")));
static __thread bool has_ended __attribute__((tls_model("initial-exec")));

static struct ctg_pool states = {.item_size = sizeof(struct ctg_thread_state), .limit = CTG_THREADS_MAX};
static uint32_t last_serial;
static pthread_key_t ending;
static bool endings_are_seen;
static void (*ends)(struct ctg_thread_state *self);

static uint32_t number_of(const struct ctg_thread_state *state) {
  for (uint32_t chunk = 0; chunk < CTG_POOL_CHUNKS && states.chunks[chunk]; ++chunk) {
    size_t offset = (size_t)((const char *)state - states.chunks[chunk]);
    if (offset < (size_t)CTG_POOL_CHUNK * states.item_size)
      return chunk * CTG_POOL_CHUNK + (uint32_t)(offset / states.item_size);
  }
  return 0;
}

static void set_id(struct ctg_thread_state *self) {
  self->id = (pid_t)cgr_syscall0(SYS_gettid);
  self->mutex_user = ctg_mutex_user(self->id);
}

// Runs again and again until the last round, so that the program's own destructors still have their locks watched.
static void on_ending(void *round) {
  uintptr_t left = (uintptr_t)round;
  if (left > 1)
    pthread_setspecific(ending, (void *)(left - 1));
  else if (ctg_thread_self)
    ends(ctg_thread_self);
}

void ctg_threads_prepare(void (*thread_ends)(struct ctg_thread_state *self)) {
  ends = thread_ends;
  endings_are_seen = pthread_key_create(&ending, on_ending) == 0 && ending < KEYS_IN_THREAD;
}

void ctg_thread_release(struct ctg_thread_state *state) {
  atomic_store(&state->is_live, false);
  ctg_engine_lock();
  ctg_pool_give_back(&states, number_of(state));
  ctg_engine_unlock();
}

void ctg_thread_detach(void) {
  has_ended = true;
  ctg_thread_self = NULL;
}

struct ctg_thread_state *ctg_thread_attach(void) {
  if (!ctg_has_started || has_ended || ctg_busy) return NULL;
  ctg_busy++;
  int error = errno;
  ctg_engine_lock();
  uint32_t number = ctg_pool_take(&states);
  uint32_t serial = number ? ++last_serial : 0;
  ctg_engine_unlock();
  struct ctg_thread_state *state = NULL;
  if (number) {
    state = ctg_pool_at(&states, number);
    state->serial = serial;
    set_id(state);
    state->current_task = ctg_task_place();
    state->handle = (uintptr_t)pthread_self();
    atomic_store(&state->is_live, true);
    if (endings_are_seen) pthread_setspecific(ending, (void *)(uintptr_t)(PTHREAD_DESTRUCTOR_ITERATIONS - 1));
    ctg_thread_self = state;
  } else {
    ctg_limit_reached(CTG_LIMIT_THREADS);
  }
  errno = error;
  ctg_busy--;
  return state;
}

struct ctg_thread_state *ctg_thread_at(uint32_t index) {
  // Without the engine's lock, so that a handler may ask.
  return index < __atomic_load_n(&states.used, __ATOMIC_ACQUIRE) ? ctg_pool_at(&states, index + 1) : NULL;
}

struct ctg_thread ctg_thread_description(const struct ctg_thread_state *state) {
  struct ctg_thread thread = {.id = state->id};
  if (state == ctg_thread_self) prctl(PR_GET_NAME, thread.name);
  return thread;
}

struct ctg_thread ctg_thread_named(const struct ctg_thread_state *state) {
  struct ctg_thread thread = {.id = state->id};
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", state->id);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return thread;
  ssize_t size = read(file, thread.name, sizeof thread.name - 1);
  close(file);
  if (size > 0 && thread.name[size - 1] == '\n') thread.name[size - 1] = 0;
  return thread;
}

void ctg_threads_fork(void) {
  struct ctg_thread_state *self = ctg_thread_self;
  for (uint32_t i = 0; i < states.used; ++i) {
    struct ctg_thread_state *state = ctg_thread_at(i);
    if (state == self || !atomic_load(&state->is_live)) continue;
    atomic_store(&state->is_live, false);
    ctg_pool_give_back(&states, i + 1);
  }
  if (!self) return;
  for (uint32_t i = 0; i < self->depth; ++i) self->held[i].flags |= CTG_TAKEN_BEFORE_FORK;
  set_id(self);
}
