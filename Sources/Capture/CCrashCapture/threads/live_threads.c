// Copies of stacks in a process that continues. System calls only.
//
// A signal ends calls such as epoll_wait, so a thread inside such a call gets none. The kernel gives its program
// counter and stack pointer (/proc/self/task/N/syscall), and its counters (…/schedstat) show whether it ran while its
// stack was copied. A running thread gets a signal. If it enters a call between the check and the signal, the handler
// makes it enter that call again.

#include "threads/live_threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "CGround/clock.h"
#include "processor/interrupted_call.h"
#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/procfile.h"
#include "CGround/refusals.h"
#include "CGround/signals.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "threads/libc_signal.h"
#include "threads/thread_facts.h"
#include "threads/thread_stopping.h"

#define COOKIE 0x43724b74u  // marks CrashKit's own signals, in their value
#define LOOKS 3
#define REST_NS 30000

// --- The threads' side -----------------------------------------------------------------------------------------

enum { FREE, ASKED, COMING, GIVEN };

static struct slot {
  _Atomic uint32_t state;  // round << 2 | one of the above
  ck_registers registers;
  long call;
  ck_swift_task task;
  bool unprotected;
  size_t size;
} slots[CK_LIVE_BATCH];
static uint8_t *copies_memory;
static _Atomic uint32_t answers;  // a futex for the one who asks

static cgr_kernel_action libcs_own;

static uint8_t *memory_of(size_t slot) { return copies_memory + slot * CK_LIVE_COPY_BYTES; }

static size_t copy_stack(size_t slot, uint64_t stack_pointer) {
  return cgr_memory_read(stack_pointer - CGR_RED_ZONE_BYTES, memory_of(slot), CK_LIVE_COPY_BYTES);
}

static void give_sample(struct slot *slot, uint32_t round, ucontext_t *context) {
  uint32_t expected = round << 2 | ASKED;
  // If it comes too late, no thread waits for it any more.
  if (!atomic_compare_exchange_strong(&slot->state, &expected, round << 2 | COMING)) return;
  ck_registers_read(&slot->registers, context);
  slot->call = ck_interrupted_call_number(context);
  slot->unprotected = ck_has_no_alternate_stack(context);
  slot->size = copy_stack((size_t)(slot - slots), slot->registers.values[CK_REGISTER_SP]);
  // Here, since the task may be gone once the thread goes on.
  ck_swift_task_read(ck_swift_task_current(), &slot->task);
  atomic_store_explicit(&slot->state, round << 2 | GIVEN, memory_order_release);
  atomic_fetch_add(&answers, 1);
  cgr_syscall3(SYS_futex, &answers, FUTEX_WAKE_PRIVATE, 1);
}

static void on_sample(int signal, siginfo_t *info, void *context) {
  uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr, outer;
  if (info->si_code != SI_QUEUE || value >> 32 != COOKIE) {
    if (libcs_own.handler) libcs_own.handler(signal, info, context);
    return;
  }
  CGR_REFUSALS_BEGIN(outer);
  give_sample(&slots[value % CK_LIVE_BATCH], (uint32_t)value / CK_LIVE_BATCH, context);
  CGR_REFUSALS_END(outer);
  ck_restart_interrupted_call(context);
}

// Stays in place once there, so that a signal that comes late meets it. False if libc has none of its own: then it
// has started no thread yet, and would put its own over ours.
static bool listen(void) {
  cgr_kernel_action action;
  if (!cgr_kernel_action_get(CK_LIBC_SIGNAL, &action)) return false;
  if (action.handler == on_sample) return true;
  if (action.handler == (void *)SIG_DFL || action.handler == (void *)SIG_IGN || !(action.flags & SA_SIGINFO))
    return false;
  return ck_libc_signal_lend(on_sample, ~CGR_HANDLED_SIGNALS, &libcs_own);
}

// --- Looking from outside --------------------------------------------------------------------------------------

// How often the thread was given a processor; it runs unseen where the kernel keeps no such counters.
static size_t read_counters(int tid, char out[96]) {
  char path[64];
  cgr_task_path(path, tid, "schedstat");
  long size = cgr_file_read(path, out, 96);
  return size > 0 ? (size_t)size : 0;
}

static bool equal(const char *a, const char *b, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

static bool has_not_run(const ck_thread *thread, const char *counters, size_t size) {
  char after[96];
  if (size > 0) return read_counters(thread->tid, after) == size && equal(after, counters, size);
  ck_thread again;
  again.tid = thread->tid;
  again.captured_by = CK_BY_NONE;
  atomic_store_explicit(&again.answer, CK_ANSWER_NONE, memory_order_relaxed);
  if (!ck_thread_read_syscall(&again)) return false;
  return equal((const char *)&again.registers, (const char *)&thread->registers, sizeof again.registers);
}

// True if the thread was inside a call, and stayed there while its stack was copied.
static bool copy_from_outside(ck_thread *thread, size_t slot, ck_stack_copy *copy) {
  // A thread that was asked before, and is very late, may still write there.
  if ((atomic_load(&slots[slot].state) & 3) == COMING) return false;
  char counters[96];
  size_t size = read_counters(thread->tid, counters);
  atomic_store_explicit(&thread->answer, CK_ANSWER_NONE, memory_order_relaxed);
  thread->captured_by = CK_BY_NONE;
  thread->in_call = false;
  if (ck_thread_read_syscall(thread)) {
    uint64_t start = thread->registers.values[CK_REGISTER_SP];
    size_t copied = copy_stack(slot, start);
    ck_swift_task task;
    ck_swift_task_read(ck_swift_task_of_thread(ck_thread_pointer(thread->tid)), &task);
    if (copied > 0 && has_not_run(thread, counters, size)) {
      thread->task = task;
      *copy = (ck_stack_copy){start - CGR_RED_ZONE_BYTES, start - CGR_RED_ZONE_BYTES + copied, memory_of(slot)};
      return true;
    }
  }
  thread->captured_by = CK_BY_NONE;
  return false;
}

// --- Asking ----------------------------------------------------------------------------------------------------

static bool runs(int tid) {
  char path[64], word[8];
  cgr_task_path(path, tid, "syscall");
  return cgr_file_read(path, word, sizeof word) > 0 && word[0] == 'r';
}

#ifdef __aarch64__
// The kernel does not say where a function without a frame returns to. The thread can: these waits are made again by
// the kernel itself.
static bool is_better_asked(const ck_thread *thread) {
  static const uint8_t arguments[6] = CK_SYSCALL_ARGUMENTS;
  const uint64_t *values = thread->registers.values;
  if (thread->captured_by != CK_BY_PROC_SYSCALL || !thread->in_call || thread->call != SYS_futex) return false;
  uint64_t operation = values[arguments[1]] & FUTEX_CMD_MASK, time_limit = values[arguments[3]];
  bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI;
  return waits && time_limit == 0;
}
#else
static bool is_better_asked(const ck_thread *thread) {
  (void)thread;
  return false;
}
#endif

// A thread that cannot be looked at gets no signal: it may be anywhere.
static bool ask(const ck_thread *thread, size_t slot, uint32_t round) {
  if ((atomic_load(&slots[slot].state) & 3) == COMING) return false;
  if (thread->captured_by == CK_BY_NONE && !runs(thread->tid)) return false;
  siginfo_t info;
  cgr_zero(&info, sizeof info);
  info.si_signo = CK_LIBC_SIGNAL;
  info.si_code = SI_QUEUE;
  long process = info.si_pid = (int)cgr_process_id();
  uint32_t name = (uint32_t)(round * CK_LIVE_BATCH + slot);
  info.si_value.sival_ptr = (void *)(uintptr_t)((uint64_t)COOKIE << 32 | name);
  atomic_store(&slots[slot].state, round << 2 | ASKED);
  if (cgr_syscall4(SYS_rt_tgsigqueueinfo, process, thread->tid, CK_LIBC_SIGNAL, &info) == 0) return true;
  atomic_store(&slots[slot].state, round << 2 | FREE);
  return false;
}

static void wait_for_answers(uint32_t wanted, uint32_t before) {
  uint64_t now = cgr_monotonic_ns(), end = now + CK_LIVE_ANSWER_NS;
  for (uint32_t count; (count = atomic_load(&answers)) - before < wanted && now < end; now = cgr_monotonic_ns()) {
    struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)(end - now)};
    cgr_syscall4(SYS_futex, &answers, FUTEX_WAIT_PRIVATE, count, &rest);
  }
}

static void take_answer(ck_thread *thread, size_t index, uint32_t round, ck_stack_copy *copy) {
  struct slot *slot = &slots[index];
  uint32_t asked = round << 2 | ASKED;
  bool late = atomic_compare_exchange_strong(&slot->state, &asked, round << 2 | FREE);
  // It may be copying at this moment, which takes no longer than a copy.
  uint64_t end = cgr_monotonic_ns() + CK_LIVE_ANSWER_NS;
  while (!late && atomic_load_explicit(&slot->state, memory_order_acquire) == (round << 2 | COMING)
         && cgr_monotonic_ns() < end)
    cgr_syscall0(SYS_sched_yield);
  uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
  // What was copied from outside is written over.
  if (state == (round << 2 | COMING)) thread->captured_by = CK_BY_NONE;
  if (state != (round << 2 | GIVEN)) return;
  thread->registers = slot->registers;
  thread->call = slot->call;
  thread->in_call = slot->call >= 0;
  thread->unprotected = slot->unprotected;
  thread->task = slot->task;
  thread->captured_by = CK_BY_SIGNAL;
  uint64_t start = slot->registers.values[CK_REGISTER_SP] - CGR_RED_ZONE_BYTES;
  *copy = (ck_stack_copy){start, start + slot->size, memory_of(index)};
}

// Those that run may soon be in a call, where they need no signal.
static void look_at_all(ck_thread *const *threads, size_t count, ck_stack_copy *copies) {
  for (int look = 0; look < LOOKS; ++look) {
    bool all = true;
    for (size_t i = 0; i < count; ++i)
      if (threads[i]->captured_by == CK_BY_NONE) all = copy_from_outside(threads[i], i, &copies[i]) && all;
    if (all) return;
    struct timespec rest = {.tv_sec = 0, .tv_nsec = REST_NS};
    if (look + 1 < LOOKS) cgr_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &rest, NULL);
  }
}

static bool is_to_be_asked(ck_thread *thread, size_t slot, ck_stack_copy *copy) {
  return thread->captured_by == CK_BY_NONE ? !copy_from_outside(thread, slot, copy) : is_better_asked(thread);
}

static void ask_all(ck_thread *const *threads, size_t count, ck_stack_copy *copies, const bool *wanted) {
  static uint32_t last_round;
  uint32_t round = last_round = (last_round + 1) % (1u << 26);
  uint32_t before = atomic_load(&answers), asked = 0;
  bool is_asked[CK_LIVE_BATCH] = {false};
  for (size_t i = 0; i < count; ++i) {
    is_asked[i] = wanted[i] && ask(threads[i], i, round);
    asked += is_asked[i];
  }
  wait_for_answers(asked, before);
  for (size_t i = 0; i < count; ++i)
    if (is_asked[i]) take_answer(threads[i], i, round, &copies[i]);
}

void ck_live_copy_stacks(ck_thread *const *threads, size_t count, ck_stack_copy *copies) {
  bool wanted[CK_LIVE_BATCH], any = false;
  look_at_all(threads, count, copies);
  for (size_t i = 0; i < count; ++i) {
    wanted[i] = is_to_be_asked(threads[i], i, &copies[i]);
    any = any || wanted[i];
  }
  if (any && listen()) ask_all(threads, count, copies, wanted);
  for (size_t i = 0; i < count; ++i)
    if (threads[i]->captured_by == CK_BY_NONE) copy_from_outside(threads[i], i, &copies[i]);
}

void ck_live_copy_own_stack(const ck_registers *registers, ck_stack_copy *copy) {
  uint64_t start = registers->values[CK_REGISTER_SP] - CGR_RED_ZONE_BYTES;
  *copy = (ck_stack_copy){start, start + copy_stack(0, start + CGR_RED_ZONE_BYTES), memory_of(0)};
}

// --- Memory ----------------------------------------------------------------------------------------------------

bool ck_live_prepare(void) {
  if (copies_memory) return true;
  long memory = cgr_map_apart((size_t)CK_LIVE_BATCH * CK_LIVE_COPY_BYTES);
  if (cgr_syscall_failed(memory)) return false;
  copies_memory = (uint8_t *)memory;
  return true;
}

void ck_live_forget(void) {
  for (size_t i = 0; i < CK_LIVE_BATCH; ++i) atomic_store(&slots[i].state, FREE);
}

void ck_live_release_copies(void) {
  cgr_syscall3(SYS_madvise, copies_memory, (size_t)CK_LIVE_BATCH * CK_LIVE_COPY_BYTES, MADV_DONTNEED);
}
