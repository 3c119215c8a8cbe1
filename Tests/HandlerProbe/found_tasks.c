// Tasks on the heap of a made-up Swift runtime, for the search that goes through all memory.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "CCrashCapture.h"
#include "made_up_runtime.h"
#include "probe.h"

// A core file has what can be written.
static char name[] = "fetch token=geheim";
static record fetch = {.kind = 6, .name = name};

static void resume_1(void) { __asm__ volatile("nop"); }
static void resume_2(void) { __asm__ volatile("nop\n nop"); }
static void resume_3(void) { __asm__ volatile("nop\n nop\n nop"); }

static const context whole_chain[] = {{&whole_chain[1], resume_2}, {NULL, resume_3}};

// The task waits in resume_1, which the contexts' functions wait for.
static task waiting_task(uint64_t id, const context *chain) {
  task waiting = made_task(id, &fetch);
  waiting.resume = (uintptr_t)resume_1;
  waiting.context = (uintptr_t)chain;
  return waiting;
}

static task *add_task(uint64_t id, const context *chain) {
  task *added = aligned_alloc(16, sizeof *added);
  CHECK(added);
  *added = waiting_task(id, chain);
  // Only the search reads it, of which an optimising compiler knows nothing.
  __asm__ volatile("" : : "r"(added) : "memory");
  return added;
}

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static void install_with_slabs(void) {
  static const int slab;
  _swift_concurrency_debug_asyncTaskSlabMetadata = &slab;
  install_crashkit();
}

static int die_searched(void) {
  install_with_slabs();
  raise(SIGSEGV);
  return 1;
}

static int found(void) {
  add_task(5, whole_chain);
  return die_searched();
}

#define PREFERS_EXECUTOR 0x8000u

static int with_executor(void) {
  add_task(4, whole_chain)->status = PREFERS_EXECUTOR;
  return found();
}

static int unknown_version(void) {
  _swift_concurrency_debug_internal_layout_version = 2;
  return found();
}

static int unknown_size(void) {
  _swift_concurrency_debug_asyncTaskSize += 16;
  return found();
}

static int without_slabs(void) {
  add_task(5, whole_chain);
  install_crashkit();
  raise(SIGSEGV);
  return 1;
}

// --- Damaged chains ---------------------------------------------------------------------------------------------

static int chain_in_a_loop(void) {
  static context loop[2];
  loop[0] = (context){&loop[1], resume_3};
  loop[1] = (context){loop, resume_2};
  add_task(4, loop);
  return found();
}

static int chain_to_nowhere(void) {
  static context wild[2];
  wild[0] = (context){&wild[1], resume_3};
  wild[1] = (context){(const context *)protected_page(), resume_2};
  add_task(4, wild);
  return found();
}

static int chain_without_code(void) {
  static context wild[2];
  wild[0] = (context){&wild[1], resume_3};
  wild[1] = (context){NULL, (void (*)(void))(uintptr_t)wild};
  add_task(4, wild);
  return found();
}

// --- Copies of tasks --------------------------------------------------------------------------------------------

// A name with tasks behind it, at both alignments by 16 that a copy of it may have. The search leaves this memory out.
static const char *name_beside_tasks(void) {
  char *page = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  task beside = waiting_task(9, whole_chain);
  memcpy(page, "beside", sizeof "beside");
  memcpy(page + 16, &beside, sizeof beside);
  memcpy(page + 24 + sizeof beside, &beside, sizeof beside);
  CHECK(mprotect(page, page_bytes(), PROT_READ) == 0);
  return page;
}

// What has been made there leaves copies.
static __attribute__((noinline)) void clear_stack_below(void) {
  char bytes[16384];
  explicit_bzero(bytes, sizeof bytes);
}

static _Atomic bool runs;

static void *run_named(void *unused) {
  static record beside = {.kind = 6};
  static task own;
  beside.name = name_beside_tasks();
  own = made_task(7, &beside);
  clear_stack_below();
  run_task(&own);
  for (runs = true;;) __asm__ volatile("");
  return unused;
}

// The other thread reads the name of its task.
static int name_beside_tasks_alive(void) {
  pthread_t other;
  ck_live_result result;
  add_task(5, whole_chain);
  install_with_slabs();
  CHECK(pthread_create(&other, NULL, run_named, NULL) == 0);
  while (!runs) sched_yield();
  ck_capture("beside", 6, &result);
  return result.error;
}

// --- A search that takes long -----------------------------------------------------------------------------------

#define CONTEXTS 10000
#define TASKS 2000

// Each context is on a page of its own, and all tasks of the one piece of memory have the same ten thousand.
static int long_chains(void) {
  size_t page = page_bytes();
  char *pages = mmap(NULL, CONTEXTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  for (size_t i = 0; i < CONTEXTS; ++i)
    *(context *)(void *)(pages + i * page) =
        (context){i + 1 < CONTEXTS ? (const context *)(const void *)(pages + (i + 1) * page) : NULL, resume_2};
  for (uint64_t i = 0; i < TASKS; ++i) add_task(i + 1, (const context *)(const void *)pages);
  return die_searched();
}

#define PAGE_TAKES_NS 40000000

// As a swap on a slow disk: each page takes its time.
static void bring_pages(int faults) {
  struct timespec takes = {.tv_nsec = PAGE_TAKES_NS};
  struct uffd_msg fault;
  size_t size = page_bytes();
  CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  while (read(faults, &fault, sizeof fault) == sizeof fault) {
    struct uffdio_zeropage page = {.range = {fault.arg.pagefault.address & ~(uint64_t)(size - 1), size}};
    nanosleep(&takes, NULL);
    // The process may have died meanwhile.
    CHECK(ioctl(faults, UFFDIO_ZEROPAGE, &page) == 0 || errno != EINVAL);
  }
  _exit(0);
}

// Memory whose pages another process brings, as root may ask for. The kernel does not say that they are missing, and
// the search reads them.
static bool make_slow_memory(size_t count) {
  int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  if (faults < 0 && errno == EPERM) return false;
  struct uffdio_api api = {.api = UFFD_API};
  CHECK(faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0);
  size_t size = count * page_bytes();
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_register range = {.range = {(uintptr_t)pages, size}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  CHECK(pages != MAP_FAILED && ioctl(faults, UFFDIO_REGISTER, &range) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) bring_pages(faults);
  // With it, reports leave out pages that are not there.
  close(faults);
  filter_call(0, SYS_pread64, SECCOMP_RET_ERRNO | EPERM);
  return true;
}

static int slow_memory(void) { return make_slow_memory(64) ? found() : 69; }

static int slow_memory_alive(void) {
  ck_live_result result;
  if (!make_slow_memory(8)) return 69;
  add_task(5, whole_chain);
  install_with_slabs();
  ck_capture("slow", 4, &result);
  return result.error;
}

const probe found_task_probes[] = {
    {"tasks-found", found},
    {"tasks-with-executor", with_executor},
    {"tasks-of-unknown-version", unknown_version},
    {"tasks-of-unknown-size", unknown_size},
    {"tasks-without-slabs", without_slabs},
    {"tasks-chain-loop", chain_in_a_loop},
    {"tasks-chain-to-nowhere", chain_to_nowhere},
    {"tasks-chain-without-code", chain_without_code},
    {"tasks-beside-name-alive", name_beside_tasks_alive},
    {"tasks-with-long-chains", long_chains},
    {"tasks-in-slow-memory", slow_memory},
    {"tasks-in-slow-memory-alive", slow_memory_alive},
    {NULL, NULL},
};
