// Waits in futex(2), of threads of this process. Reads that cannot fault.

#include "threads/waits.h"

#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"
#include "threads/dispatch_waits.h"
#include "threads/wait_functions.h"

void ck_waits_prepare(const crp_images *images) { ck_wait_functions_prepare(images); }

static bool is_thread(int id) { return id > 0 && cgr_syscall3(SYS_tgkill, cgr_process_id(), id, 0) == 0; }

static int owner_of(term_wait kind, const ck_futex *call) {
  uint32_t words[TERM_OWNER_WORDS_MAX];
  size_t size = term_owner_words(kind) * sizeof *words;
  uint64_t place = term_owner_place(kind, call->operation, call->word);
  return size > 0 && cgr_memory_read(place, words, size) == size ? term_owner(kind, words) : 0;
}

static bool find_wait(ck_thread *thread, const ck_futex *call, ck_wait *wait) {
  term_wait function = ck_wait_function_of(&thread->stack);
  if (ck_dispatch_wait(thread->tid, call, function, wait)) return true;
  term_wait kind = term_wait_in_futex(function, call->operation);
  if (kind == TERM_WAIT_NONE) return false;
  uint64_t lock = term_wait_lock(kind, call->operation, call->word);
  uint64_t object = kind == TERM_WAIT_SEMAPHORE ? ck_dispatch_semaphore(lock) : 0;
  *wait = (ck_wait){kind, object != 0 ? object : lock, owner_of(kind, call), 0};
  return true;
}

void ck_thread_read_wait(ck_thread *thread) {
  static const uint8_t arguments[6] = CK_SYSCALL_ARGUMENTS;
  const uint64_t *values = thread->registers.values;
  thread->wait = (ck_wait){TERM_WAIT_NONE, 0, 0, 0};
  if (!thread->in_call || thread->call != SYS_futex) return;
  ck_futex call = {values[arguments[0]], values[arguments[1]], values[arguments[2]]};
  ck_wait wait = thread->wait;
  if (!find_wait(thread, &call, &wait)) return;
  if (!is_thread(wait.owner)) wait.owner = 0;
  if (wait.kind == TERM_WAIT_THREAD && (wait.owner == 0 || call.expected != (uint64_t)wait.owner)) return;
  thread->wait = wait;
}
