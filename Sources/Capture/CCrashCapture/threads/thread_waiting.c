// Waiting for threads to stop. System calls only.

#include "CGround/clock.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "threads/thread_facts.h"
#include "threads/thread_stopping.h"

static int seen;  // how many of the answers have been looked at
static uint64_t first_wait_ns;
static bool looked;  // whether the threads that are late have been looked at

void ck_threads_forget_waiting(void) {
  seen = 0;
  looked = false;
  first_wait_ns = 0;
}

// Many threads wait at the same few places.
static char state_from(const ck_registers *registers) {
  static uint64_t last_pc;
  static bool last_in_kernel;
  uint64_t pc = registers->values[CK_REGISTER_PC];
  if (pc != last_pc) last_in_kernel = ck_interrupted_system_call(pc);
  last_pc = pc;
  return last_in_kernel ? 'S' : 'R';
}

bool ck_thread_has_stopped(ck_thread *thread) {
  if (thread->stopped) return true;
  bool gave = atomic_load_explicit(&thread->answer, memory_order_acquire) == CK_ANSWER_GIVEN;
  thread->stopped = gave || ck_thread_take_walk_in(thread);
  // What the system said meanwhile is of a thread that was in our handler already.
  if (gave) {
    thread->state = state_from(&thread->registers);
    cgr_copy(thread->name, thread->given_name, sizeof thread->name);
    thread->name_size = thread->given_name_size;
  }
  return thread->stopped;
}

// How many may still answer. Answers are not counted for this: a thread that walked in may answer a signal as well.
static int missing_threads(ck_threads *threads) {
  int missing = 0;
  for (size_t i = 1; i < threads->count; ++i)
    missing += threads->entries[i].stop_signal != 0 && !threads->entries[i].gone
               && !ck_thread_has_stopped(&threads->entries[i]);
  return missing;
}

// All threads are looked through for each batch, so a batch grows with their number.
static int batch_of(int missing) { return missing < 16 ? missing : missing < 128 ? 16 : missing / 8; }

// Sleeps until a batch has answered or the time is up; false if no thread did.
static bool wait_for_answers(int before, int missing, uint64_t limit_ns) {
  return ck_threads_sleep_until(before + batch_of(missing), limit_ns) > before;
}

// A thread that ends does not announce it.
static int missing_that_exist(ck_threads *threads) {
  for (size_t i = 1; i < threads->count; ++i)
    if (!ck_thread_has_stopped(&threads->entries[i])) ck_thread_is_gone(&threads->entries[i]);
  return missing_threads(threads);
}

// One that is in our handler has only to be given a processor, or a page of ours from the disk. So has one that runs
// and blocks glibc's own signal: it is being born or about to end.
static bool one_is_answering(ck_threads *threads) {
  for (size_t i = 1; i < threads->count; ++i) {
    ck_thread *thread = &threads->entries[i];
    if (thread->stopped || thread->gone) continue;
    if (atomic_load_explicit(&thread->answer, memory_order_relaxed) == CK_ANSWER_COMING) return true;
    if (thread->stop_signal != 0 && ck_thread_blocks(thread)) return true;
  }
  return false;
}

bool ck_threads_wait(ck_threads *threads) {
  if (first_wait_ns == 0) first_wait_ns = cgr_monotonic_ns();
  int before = seen;
  seen = ck_threads_answers();
  if (seen > before) return true;
  int missing = missing_threads(threads);
  if (looked && missing == 0) return false;
  if (missing > 0 && wait_for_answers(seen, missing, CK_STOP_FIRST_NS)) return true;
  if (!looked) {
    looked = true;
    int process = (int)cgr_process_id();
    for (size_t i = 1; i < threads->count; ++i)
      if (!ck_thread_has_stopped(&threads->entries[i])) ck_thread_ask_again(i, &threads->entries[i], process);
    return true;
  }
  uint64_t now = cgr_monotonic_ns(), last = first_wait_ns + CK_STOP_TOTAL_NS;
  uint64_t end = now + CK_STOP_QUIET_NS < last ? now + CK_STOP_QUIET_NS : last;
  for (; now < (one_is_answering(threads) ? last : end) && (missing = missing_that_exist(threads)) > 0;
       now = cgr_monotonic_ns())
    if (wait_for_answers(seen, missing, CK_STOP_LOOK_NS)) return true;
  return false;
}
