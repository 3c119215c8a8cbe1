// A Mutex of Synchronization is a priority-inheriting futex, whose word holds its owner's thread id. The kernel refuses
// (EDEADLK) a wait that would never end: the thread holds the Mutex itself, or its owner waits for this very thread.
// The runtime takes both for recursion. System calls only.

#include "report/mutex_cause.h"

#include <linux/futex.h>

#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"

bool ck_is_mutex_trap(const cgr_text *message) {
  static const char said[] = "Recursive call to lock Mutex";
  size_t length = sizeof said - 1;
  for (size_t at = 0; at + length <= message->size; ++at)
    if (cgr_starts_with(message->bytes + at, said)) return true;
  return false;
}

enum { FRAMES = 2, WORDS = 128 };

// The thread that a word names, if it is one of this process.
static int owner_in(uint64_t address) {
  uint32_t word;
  if (cgr_memory_read(address, &word, sizeof word) != sizeof word) return 0;
  int owner = (int)(word & FUTEX_TID_MASK);
  bool exists = owner != 0 && cgr_syscall3(SYS_tgkill, cgr_process_id(), owner, 0) == 0;
  return exists ? owner : 0;
}

// How many of `most` words from the stack pointer on belong to the innermost frames.
static size_t words_of_frames(const ck_fault *fault, size_t most) {
  uint64_t stack = fault->registers.values[CK_REGISTER_SP], end = fault->registers.values[CK_REGISTER_FP];
  for (int i = 0; i < FRAMES; ++i)
    if (cgr_memory_read(end, &end, sizeof end) != sizeof end) return 0;
  if (end <= stack) return 0;
  return (end - stack) / sizeof end < most ? (end - stack) / sizeof end : most;
}

// _MutexHandle._lockSlow has the word's address as its self. The function that stops the program may need that
// register: it has put the address into its frame then.
ck_refused_mutex ck_find_refused_mutex(const ck_fault *fault) {
  uint64_t word = fault->registers.values[CK_REGISTER_SWIFT_SELF], words[WORDS];
  int owner = owner_in(word);
  if (owner != 0) return (ck_refused_mutex){word, owner};
  size_t size = words_of_frames(fault, WORDS) * sizeof *words;
  size_t count = cgr_memory_read(fault->registers.values[CK_REGISTER_SP], words, size) / sizeof *words;
  for (size_t i = 0; i < count; ++i)
    if (words[i] % _Alignof(uint32_t) == 0 && (owner = owner_in(words[i])) != 0)
      return (ck_refused_mutex){words[i], owner};
  return (ck_refused_mutex){0};
}

term_cause ck_mutex_cause(int owner) {
  if (owner == 0) return TERM_CAUSE_mutexDeadlock;
  return owner == (int)cgr_thread_id() ? TERM_CAUSE_mutexRecursion : TERM_CAUSE_mutexCycle;
}
