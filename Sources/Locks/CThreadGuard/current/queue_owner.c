// Finds the word of a queue that names its thread. Ordinary libdispatch when it is first used; loads and compares
// afterwards.

#include "current/queue_owner.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "ground/state.h"
#include "CGround/syscalls.h"

// From <dispatch/dispatch.h>, which lies inside the toolchain. Weak, for a program without Swift may be without them.
#define WEAK __attribute__((weak))
extern void *dispatch_get_current_queue(void) WEAK;
extern void *dispatch_queue_create(const char *label, void *attributes) WEAK;
extern void dispatch_sync_f(void *queue, void *context, void (*work)(void *)) WEAK;
extern void dispatch_release(void *object) WEAK;
extern char _dispatch_queue_attr_concurrent[] WEAK;

#define OWNER_MASK 0x3fffffffu
/// The word is looked for, not assumed to lie anywhere; this many are looked at.
#define SEARCHED_WORDS 16
#define NOT_FOUND SEARCHED_WORDS
#define NOT_SEARCHED (SEARCHED_WORDS + 1)
/// And so is the half word that says how many blocks a queue runs at a time: 1 of a serial queue.
#define SEARCHED_HALF_WORDS (SEARCHED_WORDS * 4)
#define NOT_FOUND_HALF SEARCHED_HALF_WORDS

static _Atomic unsigned owner_word = NOT_SEARCHED;
static _Atomic unsigned width_half_word = NOT_FOUND_HALF;

static uint32_t owner(uintptr_t queue, unsigned word) {
  return (uint32_t)__atomic_load_n(&((const uint64_t *)queue)[word], __ATOMIC_RELAXED) & OWNER_MASK;
}

static uint16_t half_word(uintptr_t queue, unsigned at) { return ((const volatile uint16_t *)queue)[at]; }

struct search {
  uintptr_t queue;
  uint32_t candidates;
};

static void look_inside(void *context) {
  struct search *search = context;
  uint32_t self = (uint32_t)cgr_syscall0(SYS_gettid);
  for (unsigned word = 0; word < SEARCHED_WORDS; ++word)
    if (owner(search->queue, word) == self) search->candidates |= 1u << word;
}

// The one half word that is 1 in a serial queue and the largest width in a concurrent one.
static unsigned find_width(uintptr_t serial) {
  const uint16_t largest = 0x0ffe;
  if (!_dispatch_queue_attr_concurrent) return NOT_FOUND_HALF;
  void *concurrent = dispatch_queue_create("threadguard.search", _dispatch_queue_attr_concurrent);
  if (!concurrent) return NOT_FOUND_HALF;
  unsigned found = NOT_FOUND_HALF, count = 0;
  for (unsigned at = 0; at < SEARCHED_HALF_WORDS; ++at) {
    if (half_word(serial, at) != 1 || half_word((uintptr_t)concurrent, at) != largest) continue;
    found = at;
    ++count;
  }
  dispatch_release(concurrent);
  return count == 1 ? found : NOT_FOUND_HALF;
}

// The one word that names this thread while it runs a queue, and no thread before and after.
static unsigned find_owner_word(void) {
  void *queue = dispatch_queue_create("threadguard.search", NULL);
  if (!queue) return NOT_FOUND;
  struct search search = {(uintptr_t)queue, 0};
  uint32_t idle = 0;
  dispatch_sync_f(queue, &search, look_inside);
  for (unsigned word = 0; word < SEARCHED_WORDS; ++word)
    if (owner(search.queue, word) == 0) idle |= 1u << word;
  atomic_store_explicit(&width_half_word, find_width(search.queue), memory_order_relaxed);
  dispatch_release(queue);
  uint32_t found = search.candidates & idle;
  return found && !(found & (found - 1)) ? (unsigned)__builtin_ctz(found) : NOT_FOUND;
}

// A preload library has dispatch_queue_create and dispatch_sync_f itself, in front of libdispatch's.
static bool has_libdispatch(void) { return dispatch_queue_create && dispatch_release && dispatch_get_current_queue; }

// Twice at worst, with the same result.
static __attribute__((noinline)) void search_words(void) {
  ctg_busy++;
  int error = errno;
  unsigned word = has_libdispatch() ? find_owner_word() : NOT_FOUND;
  atomic_store_explicit(&owner_word, word, memory_order_release);
  errno = error;
  ctg_busy--;
}

void ctg_queue_owner_prepare(void) {
  if (__builtin_expect(atomic_load_explicit(&owner_word, memory_order_acquire) == NOT_SEARCHED, 0)) search_words();
}

static unsigned known_word(void) { return atomic_load_explicit(&owner_word, memory_order_relaxed); }

bool ctg_queue_is_run_by(uintptr_t queue, pid_t thread) {
  unsigned word = known_word();
  return word < NOT_FOUND && owner(queue, word) == (uint32_t)thread;
}

bool ctg_queue_is_busy(uintptr_t queue) {
  unsigned word = known_word();
  return word >= NOT_FOUND || owner(queue, word) != 0;
}

bool ctg_queue_is_serial(uintptr_t queue) {
  unsigned at = atomic_load_explicit(&width_half_word, memory_order_relaxed);
  return at != NOT_FOUND_HALF && half_word(queue, at) == 1 && known_word() < NOT_FOUND;
}
