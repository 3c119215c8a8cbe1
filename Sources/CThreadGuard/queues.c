// Which thread and which queue is running, told by reading and not by asking libdispatch, which ends the process where
// the answer is no. Ordinary libc and libdispatch when it is first used; loads and compares afterwards.

#include "queues.h"

#ifdef THREADGUARD

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state.h"
#include "swift_tasks.h"
#include "violations.h"

// From <dispatch/dispatch.h>, which lies inside the toolchain; a program without Swift may be without them.
#define WEAK __attribute__((weak))
extern void *dispatch_get_current_queue(void) WEAK;
extern void *dispatch_queue_create(const char *label, const void *attributes) WEAK;
extern void dispatch_sync_f(void *queue, void *context, void (*work)(void *)) WEAK;
extern void dispatch_release(void *object) WEAK;
extern char _dispatch_queue_attr_concurrent[] WEAK;
extern char _dispatch_main_q[] WEAK;

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/// libdispatch keeps the id of the thread that runs a serial queue in the low 30 bits of a word of the queue, so that
/// waiters can lend it their priority (swift-corelibs-libdispatch, src/shims/lock.h).
#define OWNER_MASK 0x3fffffffu
/// The word is looked for, not assumed to lie anywhere; this many are looked at.
#define SEARCHED_WORDS 16
#define NOT_FOUND SEARCHED_WORDS
#define NOT_SEARCHED (SEARCHED_WORDS + 1)
/// And so is the half word that says how many blocks a queue runs at a time: 1 of a serial queue.
#define SEARCHED_HALF_WORDS (SEARCHED_WORDS * 4)
#define NOT_FOUND_HALF SEARCHED_HALF_WORDS

/// Swift's object holds libdispatch's behind its own header.
#define SWIFT_HEADER_BYTES 16

static _Thread_local INITIAL_EXEC pid_t own_id;
uintptr_t ctg_main_thread;
static _Atomic unsigned owner_word = NOT_SEARCHED;
static _Atomic unsigned width_half_word = NOT_FOUND_HALF;

static uintptr_t thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }

// The only thread of a child is its main thread, whatever it was before.
static void after_fork(void) {
  own_id = 0;
  ctg_main_thread = thread_pointer();
}

pid_t ctg_thread_id(void) {
  pid_t id = own_id;
  if (__builtin_expect(id == 0, 0)) own_id = id = (pid_t)syscall(SYS_gettid);
  return id;
}

// --- Which word of a queue names its thread ------------------------------------------------------------------------

static uint32_t owner(const void *queue, unsigned word) {
  return (uint32_t)((const volatile uint64_t *)queue)[word] & OWNER_MASK;
}

struct search {
  void *queue;
  uint32_t candidates;
};

static void look_inside(void *context) {
  struct search *search = context;
  for (unsigned word = 0; word < SEARCHED_WORDS; ++word)
    if (owner(search->queue, word) == (uint32_t)ctg_thread_id()) search->candidates |= 1u << word;
}

static uint16_t half_word(const void *queue, unsigned at) { return ((const volatile uint16_t *)queue)[at]; }

// The one half word that is 1 in a serial queue and the largest width in a concurrent one.
static unsigned find_width(void *serial) {
  const uint16_t largest = 0x0ffe;
  void *concurrent = _dispatch_queue_attr_concurrent
                         ? dispatch_queue_create("threadguard.search", _dispatch_queue_attr_concurrent)
                         : NULL;
  if (!concurrent) return NOT_FOUND_HALF;
  unsigned found = NOT_FOUND_HALF, count = 0;
  for (unsigned at = 0; at < SEARCHED_HALF_WORDS; ++at) {
    if (half_word(serial, at) != 1 || half_word(concurrent, at) != largest) continue;
    found = at;
    ++count;
  }
  dispatch_release(concurrent);
  return count == 1 ? found : NOT_FOUND_HALF;
}

// The one word that names this thread while a queue is run by it, and nobody before and after.
static unsigned find_owner_word(void) {
  struct search search = {dispatch_queue_create("threadguard.search", NULL), 0};
  uint32_t idle = 0;
  ++ctg_busy;
  dispatch_sync_f(search.queue, &search, look_inside);
  --ctg_busy;
  for (unsigned word = 0; word < SEARCHED_WORDS; ++word)
    if (owner(search.queue, word) == 0) idle |= 1u << word;
  atomic_store_explicit(&width_half_word, find_width(search.queue), memory_order_relaxed);
  dispatch_release(search.queue);
  uint32_t found = search.candidates & idle;
  return found && !(found & (found - 1)) ? (unsigned)__builtin_ctz(found) : NOT_FOUND;
}

// Runs before main, on the main thread, unless the library is loaded later, by any thread.
__attribute__((constructor)) static void prepare(void) {
  pthread_atfork(NULL, NULL, after_fork);
  if (ctg_thread_id() == getpid()) ctg_main_thread = thread_pointer();
}

// Twice at worst, with the same result.
__attribute__((noinline)) static unsigned search(void) {
  unsigned word = dispatch_queue_create ? find_owner_word() : NOT_FOUND;
  atomic_store_explicit(&owner_word, word, memory_order_relaxed);
  return word;
}

static bool runs(const void *queue) {
  unsigned word = atomic_load_explicit(&owner_word, memory_order_relaxed);
  if (__builtin_expect(word == NOT_SEARCHED, 0)) word = search();
  if (word != NOT_FOUND && owner(queue, word) == (uint32_t)ctg_thread_id()) return true;
  return dispatch_get_current_queue && dispatch_get_current_queue() == queue;
}

static const void *inside(const void *queue) { return *(const void *const *)((const char *)queue + SWIFT_HEADER_BYTES); }

bool ctg_is_on(const void *queue) { return runs(inside(queue)); }

bool ctg_is_on_is_final(const void *queue) {
  unsigned at = atomic_load_explicit(&width_half_word, memory_order_relaxed);
  return at != NOT_FOUND_HALF && half_word(inside(queue), at) == 1
         && atomic_load_explicit(&owner_word, memory_order_relaxed) < NOT_FOUND;
}

bool ctg_is_on_main(void) { return _dispatch_main_q && runs(_dispatch_main_q); }

// --- Executors -----------------------------------------------------------------------------------------------------

#define SWIFT_CALL __attribute__((swiftcall))

struct executor {
  uintptr_t identity, implementation;
};

typedef SWIFT_CALL bool (*is_current)(struct executor, uint64_t flags);
typedef SWIFT_CALL struct executor (*get_main)(void);

// From libswift_Concurrency 6.2; an older one has only the question that may end the process.
static is_current question(void) {
  static _Atomic(is_current) found;
  static _Atomic bool looked;
  if (!atomic_load_explicit(&looked, memory_order_acquire)) {
    atomic_store_explicit(&found, (is_current)dlsym(RTLD_DEFAULT, "swift_task_isCurrentExecutorWithFlags"),
                          memory_order_relaxed);
    atomic_store_explicit(&looked, true, memory_order_release);
  }
  return atomic_load_explicit(&found, memory_order_relaxed);
}

int ctg_is_on_executor(uintptr_t identity, uintptr_t implementation) {
  is_current ask = question();
  // No flags: it must not end the process (Assert would allow it to).
  return ask ? ask((struct executor){identity, implementation}, 0) : -1;
}

bool ctg_is_on_main_executor(void) {
  // Outside of tasks the runtime goes by the thread.
  if (ctg_task_module && ctg_task_now() == 0 && !ctg_is_main_thread()) return false;
  static _Atomic(get_main) found;
  get_main main_executor = atomic_load_explicit(&found, memory_order_relaxed);
  if (!main_executor) {
    main_executor = (get_main)dlsym(RTLD_DEFAULT, "swift_task_getMainExecutor");
    if (!main_executor) return false;
    atomic_store_explicit(&found, main_executor, memory_order_relaxed);
  }
  struct executor executor = main_executor();
  return ctg_is_on_executor(executor.identity, executor.implementation) == 1;
}

#endif
