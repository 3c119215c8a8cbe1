// Rings of throws, one for each thread. Only its own thread writes a throw, and sets its number to 0 meanwhile. If the
// number has changed, a reader treats its copy as torn.

#include "throws/throw_table.h"

#include <stdatomic.h>

#include "CProcessHooks.h"
#include "CGround/clock.h"
#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "CGround/return_address.h"
#include "CGround/syscalls.h"
#include "record/context_table.h"
#include "record/current_task.h"
#include "tasks/swift_task.h"
#include "throws/thread_stack.h"

/// A thread may record so many whole stacks in each window; beyond that one throw in so many has its callers.
#define WINDOW_NS 100000000u
#define WHOLE_IN_WINDOW 64u
#define WHOLE_BEYOND 16u
/// Room for the hook's caller, the place of the throw, and hooks of others between.
#define FRAMES_WITHOUT_CALLERS 4
/// Far beyond the length of the runtime's functions that announce a throw.
#define RUNTIME_FUNCTION_MAX 128
/// Where a value witness table has the value's size.
#define WITNESS_OF_SIZE 8
/// Swift's mark of an async frame, in the frame pointer that it saves.
#define ASYNC_FRAME_MARK (1ull << 60)

typedef struct slot {
  _Atomic uint64_t number;  // 1 for the ring's first; 0 while it is written
  ck_throw thrown;
} slot;

typedef struct ring {
  _Atomic uint32_t owner;  // a thread's id; 0 if the ring can be taken
  _Atomic uint64_t count;  // of throws, those of earlier owners included
  slot slots[CK_THROWS_KEPT];
} ring;

typedef struct thrower {
  ring *ring;
  ck_thread_stack stack;
  uint64_t window;  // when it began
  uint32_t left;    // whole stacks in it
  uint32_t id;
  bool is_busy;
  bool is_ending;
} thrower;

static ring *_Atomic rings;
static _Atomic bool is_on;
static _Atomic uint64_t taken;  // how often a ring was
static _Atomic uint64_t without_ring;
static _Thread_local thrower of_thread __attribute__((tls_model("initial-exec")));

bool ck_throws_prepare(void) {
  if (atomic_load(&rings)) return true;
  long memory = cgr_map_apart(CK_THROW_RINGS * sizeof(ring));
  if (cgr_syscall_failed(memory)) return false;
  atomic_store(&rings, (ring *)memory);
  return true;
}

bool ck_throws_are_kept(void) { return atomic_load_explicit(&rings, memory_order_acquire); }

void ck_throws_record(bool on) { atomic_store(&is_on, on); }

// --- A thread's ring -------------------------------------------------------------------------------------------

// Rings are taken in turn: the memory of those behind is not touched before.
static size_t rings_used(void) {
  if (!ck_throws_are_kept()) return 0;
  uint64_t count = atomic_load_explicit(&taken, memory_order_relaxed);
  return count < CK_THROW_RINGS ? count : CK_THROW_RINGS;
}

// Those whose threads ended last are taken last.
static ring *take_ring(uint32_t owner) {
  ring *all = atomic_load_explicit(&rings, memory_order_acquire);
  uint64_t start = atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
  for (uint64_t i = 0; all && i < CK_THROW_RINGS; ++i) {
    ring *candidate = &all[(start + i) % CK_THROW_RINGS];
    uint32_t none = 0;
    if (atomic_compare_exchange_strong(&candidate->owner, &none, owner)) return candidate;
  }
  return NULL;
}

static bool begin_thread(thrower *own) {
  cph_thread_seen();
  if (own->is_ending) return false;
  own->id = (uint32_t)cgr_syscall0(SYS_gettid);
  own->ring = take_ring(own->id);
  if (own->ring) ck_thread_stack_find(&own->stack);
  return own->ring;
}

void ck_throws_end_thread(void) {
  thrower *own = &of_thread;
  own->is_ending = true;
  if (own->ring) atomic_store(&own->ring->owner, 0);
  own->ring = NULL;
}

void ck_throws_after_fork(void) {
  ring *all = atomic_load(&rings);
  thrower *own = &of_thread;
  own->id = (uint32_t)cgr_syscall0(SYS_gettid);
  for (size_t i = 0; i < rings_used(); ++i)
    if (atomic_load(&all[i].owner) != 0) atomic_store(&all[i].owner, &all[i] == own->ring ? own->id : 0);
}

// --- Recording -------------------------------------------------------------------------------------------------

static bool is_inside(uintptr_t function, uintptr_t address) {
  return function != 0 && address - function < RUNTIME_FUNCTION_MAX;
}

// Follows frame pointers, which lie on the thread's own stack or are not followed: that of a coroutine has other
// bounds, and there only the runtime's own function is known to have a frame.
static void walk(ck_throw *thrown, const uintptr_t *frame, const thrower *own, uintptr_t throwing, size_t most) {
  bool is_known = (uintptr_t)frame >= own->stack.start && (uintptr_t)frame < own->stack.end;
  size_t count = 0;
  for (;;) {
    uintptr_t caller = cgr_without_signature(frame[1]);
    thrown->frames[count++] = caller;
    uintptr_t next = frame[0] & ~ASYNC_FRAME_MARK;
    bool is_outside = next <= (uintptr_t)frame || next % sizeof next != 0 || next > own->stack.end - 2 * sizeof next;
    bool may_follow = is_known ? !is_outside : count == 1 && is_inside(throwing, caller);
    thrown->is_whole = is_known && is_outside;
    if (!may_follow || count == most) break;
    frame = (const uintptr_t *)next;
  }
  thrown->frame_count = (uint8_t)count;
}

static bool wants_callers(thrower *own, uint64_t now, uint64_t number) {
  if (now - own->window > WINDOW_NS) {
    own->window = now;
    own->left = WHOLE_IN_WINDOW;
  }
  if (own->left > 0) {
    --own->left;
    return true;
  }
  return number % WHOLE_BEYOND == 0;
}

// Costs system calls, and only programs that open contexts pay for them.
static uint32_t context_here(uint64_t task) {
  if (atomic_load_explicit(&ck_context_key, memory_order_relaxed) == 0) return 0;
  if (task == 0) return ck_context_of_thread((uintptr_t)__builtin_thread_pointer());
  ck_task_copy copy;
  return ck_swift_task_copy(ck_swift_task_current(), &copy) ? (uint32_t)ck_swift_task_context(copy.bytes) : 0;
}

static void write_error(ck_throw *thrown, const ck_thrown_error *error) {
  const uint64_t *type = error->type;
  thrown->box = (uintptr_t)error->box;
  thrown->object = error->box ? *(const uint64_t *)error->box : 0;
  thrown->type = (uintptr_t)type;
  thrown->conformance = (uintptr_t)error->conformance;
  thrown->value_size = 0;
  if (!error->value) return;
  uint64_t size = ((const uint64_t *)(uintptr_t)type[-1])[WITNESS_OF_SIZE];
  thrown->value_size = (uint8_t)(size < CK_THROW_VALUE ? size : CK_THROW_VALUE);
  cgr_copy(thrown->value, error->value, thrown->value_size);
}

static void add(thrower *own, const ck_thrown_error *error, const uintptr_t *frame, uintptr_t throwing) {
  uint64_t count = atomic_load_explicit(&own->ring->count, memory_order_relaxed);
  slot *slot = &own->ring->slots[count % CK_THROWS_KEPT];
  ck_throw *thrown = &slot->thrown;
  atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  thrown->time = cgr_monotonic_ns();
  bool is_whole = wants_callers(own, thrown->time, count);
  thrown->thread = own->id;
  thrown->task = ck_task_number_here();
  thrown->context = is_whole ? context_here(thrown->task) : 0;
  thrown->sp = (uintptr_t)frame;
  write_error(thrown, error);
  walk(thrown, frame, own, throwing, is_whole ? CK_THROW_FRAMES : FRAMES_WITHOUT_CALLERS);
  atomic_store_explicit(&slot->number, count + 1, memory_order_release);
  atomic_store_explicit(&own->ring->count, count + 1, memory_order_relaxed);
}

void ck_throws_add(const ck_thrown_error *error, const uintptr_t *frame, uintptr_t throwing) {
  thrower *own = &of_thread;
  if (!atomic_load_explicit(&is_on, memory_order_acquire) || own->is_busy) return;
  // A signal's handler may throw as well, in the middle of this.
  own->is_busy = true;
  atomic_signal_fence(memory_order_seq_cst);
  if (own->ring || begin_thread(own))
    add(own, error, frame, throwing);
  else
    atomic_fetch_add_explicit(&without_ring, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  own->is_busy = false;
}

// --- Reading ---------------------------------------------------------------------------------------------------

uint64_t ck_throws_seen(void) {
  ring *all = atomic_load_explicit(&rings, memory_order_acquire);
  uint64_t seen = atomic_load_explicit(&without_ring, memory_order_relaxed);
  for (size_t i = 0; i < rings_used(); ++i) seen += atomic_load_explicit(&all[i].count, memory_order_relaxed);
  return seen;
}

// NULL in a ring without throws: its memory is not touched.
static slot *slot_at(size_t ring_index, size_t place) {
  ring *all = atomic_load_explicit(&rings, memory_order_acquire);
  if (ring_index >= rings_used() || atomic_load_explicit(&all[ring_index].count, memory_order_relaxed) == 0)
    return NULL;
  return &all[ring_index].slots[place];
}

bool ck_throw_may_be_of(size_t ring_index, size_t place, uint64_t box, uint64_t type) {
  slot *slot = slot_at(ring_index, place);
  if (!slot) return false;
  uint64_t thrown = __atomic_load_n(&slot->thrown.box, __ATOMIC_RELAXED);
  return thrown != 0 ? thrown == box : __atomic_load_n(&slot->thrown.type, __ATOMIC_RELAXED) == type;
}

bool ck_throw_read(size_t ring_index, size_t place, ck_throw *copy) {
  slot *slot = slot_at(ring_index, place);
  if (!slot) return false;
  uint64_t number = atomic_load_explicit(&slot->number, memory_order_acquire);
  if (number == 0) return false;
  cgr_copy(copy, &slot->thrown, sizeof *copy);
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&slot->number, memory_order_relaxed) != number) return false;
  if (copy->frame_count > CK_THROW_FRAMES) copy->frame_count = CK_THROW_FRAMES;
  return true;
}
