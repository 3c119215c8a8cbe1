// Which thread and which queue is running, found by reading and not by asking libdispatch, which ends the process where
// the answer is no. Ordinary libc and libdispatch when it is first used; loads and compares afterwards.

#include "current_queue.h"

#ifdef THREADGUARD

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "current/queue_owner.h"
#include "threads/swift_tasks.h"

// From <dispatch/dispatch.h>, which lies inside the toolchain; a program without Swift may be without them.
#define WEAK __attribute__((weak))
extern void *dispatch_get_current_queue(void) WEAK;
extern char _dispatch_main_q[] WEAK;

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/// Swift's object holds libdispatch's behind its own header.
#define SWIFT_HEADER_BYTES 16

static _Thread_local INITIAL_EXEC pid_t own_id;
uintptr_t ctg_main_thread;

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

// --- Queues --------------------------------------------------------------------------------------------------------

// Runs before main, on the main thread, unless the library is loaded later, by any thread.
__attribute__((constructor)) static void prepare(void) {
  pthread_atfork(NULL, NULL, after_fork);
  if (ctg_thread_id() == getpid()) ctg_main_thread = thread_pointer();
}

static bool runs(const void *queue) {
  ctg_queue_owner_prepare();
  if (ctg_queue_is_run_by((uintptr_t)queue, ctg_thread_id())) return true;
  return dispatch_get_current_queue && dispatch_get_current_queue() == queue;
}

static const void *inside(const void *queue) {
  return *(const void *const *)((const char *)queue + SWIFT_HEADER_BYTES);
}

bool ctg_is_on(const void *queue) { return runs(inside(queue)); }

bool ctg_is_on_is_final(const void *queue) { return ctg_queue_is_serial((uintptr_t)inside(queue)); }

bool ctg_is_on_main(void) { return _dispatch_main_q && runs(_dispatch_main_q); }

// --- Executors -----------------------------------------------------------------------------------------------------

#define SWIFT_CALL __attribute__((swiftcall))

struct executor {
  uintptr_t identity, implementation;
};

// Weak, as above. The question is from libswift_Concurrency 6.2; an older one has only one that may end the process.
extern SWIFT_CALL bool swift_task_isCurrentExecutorWithFlags(struct executor executor, uint64_t flags) WEAK;
extern SWIFT_CALL struct executor swift_task_getMainExecutor(void) WEAK;

int ctg_is_on_executor(uintptr_t identity, uintptr_t implementation) {
  if (!swift_task_isCurrentExecutorWithFlags) return -1;
  // No flags: it must not end the process (Assert would allow it to).
  return swift_task_isCurrentExecutorWithFlags((struct executor){identity, implementation}, 0);
}

bool ctg_is_on_main_executor(void) {
  // Outside of tasks the runtime goes by the thread.
  if (ctg_task_module && ctg_task_now() == 0 && !ctg_is_main_thread()) return false;
  if (!swift_task_getMainExecutor) return false;
  struct executor executor = swift_task_getMainExecutor();
  return ctg_is_on_executor(executor.identity, executor.implementation) == 1;
}

#endif
