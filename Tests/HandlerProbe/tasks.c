// A Swift runtime made up: tasks and async contexts as the real one lays them out, whole and damaged.
#include "made_up_runtime.h"
#include "probe.h"
#include "breadcrumbs.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>

// --- Tasks ---------------------------------------------------------------------------------------------------

static _Thread_local uint64_t unrelated;
static _Thread_local const task *current;

static const int metadata;
uint32_t _swift_concurrency_debug_internal_layout_version = 1;
const void *const _swift_concurrency_debug_asyncTaskMetadata = &metadata;
size_t _swift_concurrency_debug_asyncTaskSize = offsetof(task, parent);
const void *_swift_concurrency_debug_asyncTaskSlabMetadata;

const void *swift_task_getCurrent(void);
const void *swift_task_getCurrent(void) { return current; }

void run_task(const task *running) { current = running; }

task made_task(uint64_t id, const record *records) {
  return (task){.metadata = (uintptr_t)&metadata,
                .flags = records ? FLAG_NAMED : 0,
                .id_low = (uint32_t)id,
                .id_high = (uint32_t)(id >> 32),
                .records = records};
}

// The names that the records below end in.
static const record named = {.kind = 6, .name = "fetch"};
static const record behind_others[] = {{.kind = 192, .outer = &behind_others[1]}, {.kind = 1, .outer = &named}};

static int die_in(const task *running) {
  unrelated = 1;
  install_crashkit();
  current = running;
  raise(SIGSEGV);
  return 1;
}

static int named_task(void) {
  static task own, parent;
  parent = made_task(3, NULL);
  own = made_task(0x100000007, behind_others);
  own.flags |= FLAG_CHILD;
  own.parent = &parent;
  return die_in(&own);
}

static int long_name(void) {
  static char name[400];
  static record records = {.kind = 6, .name = name};
  static task own;
  for (size_t i = 0; i + 1 < sizeof name; i += 2) memcpy(name + i, "\u00e9", 2);
  name[sizeof name - 2] = 0;
  own = made_task(1, &records);
  return die_in(&own);
}

static int records_in_a_loop(void) {
  static record records[2];
  static task own;
  records[0].outer = &records[1];
  records[1].outer = &records[0];
  own = made_task(5, records);
  return die_in(&own);
}

static int records_unreadable(void) {
  static task own;
  own = made_task(5, (const record *)protected_page());
  return die_in(&own);
}

static int name_unreadable(void) {
  static record records = {.kind = 6};
  static task own;
  records.name = protected_page();
  own = made_task(5, &records);
  return die_in(&own);
}

static int unreadable(void) { return die_in((const task *)protected_page()); }

static int other_object(void) {
  static task own;
  own = made_task(5, NULL);
  own.metadata += 4;
  return die_in(&own);
}

static int unknown_layout(void) {
  static task own;
  own = made_task(5, NULL);
  _swift_concurrency_debug_internal_layout_version = 2;
  return die_in(&own);
}

static void *leave_breadcrumb(void *text) {
  CHECK(ck_breadcrumb_record(text, strlen(text), "probe", 5, CK_INFO, NULL));
  return NULL;
}

static int breadcrumbs(void) {
  static task low, high, other;
  pthread_t thread;
  low = made_task(7, NULL);
  high = made_task(0x100000007, NULL);
  other = made_task(9, NULL);
  other.metadata += 4;
  current = &low;
  leave_breadcrumb("before the installation");
  install_crashkit();
  leave_breadcrumb("low");
  current = &high;
  leave_breadcrumb("high");
  current = &other;
  leave_breadcrumb("other object");
  current = NULL;
  leave_breadcrumb("no task");
  current = &low;
  CHECK(pthread_create(&thread, NULL, leave_breadcrumb, "other thread") == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  __builtin_trap();
}

// The word in a thread's control block that says where its thread-local variables are, after an overrun of its stack.
static void damage_storage(void) {
#if defined(__x86_64__)
  ((void **)__builtin_thread_pointer())[1] = (void *)0x4141414141414140;
#else
  ((void **)__builtin_thread_pointer())[0] = (void *)0x4141414141414140;
#endif
}

static void *wait_damaged(void *ready) {
  damage_storage();
  __atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
  for (;;) pause();
}

static int storage_damaged(void) {
  install_crashkit();
  damage_storage();
  __builtin_trap();
}

static int storage_damaged_elsewhere(void) {
  static int ready;
  pthread_t thread;
  install_crashkit();
  CHECK(pthread_create(&thread, NULL, wait_damaged, &ready) == 0);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) sched_yield();
  __builtin_trap();
}

// What a buffer on the stack of a thread, overrun upwards, reaches first: our own thread-local words among others.
static void *overrun(void *unused) {
  (void)unused;
#if defined(__x86_64__)
  volatile uint8_t *block = (volatile uint8_t *)pthread_self() - 1024;
  for (int i = 0; i < 1024; ++i) block[i] = 0x41;
#endif
  __builtin_trap();
}

static int words_overrun(void) {
  pthread_t thread;
  install_crashkit();
  CHECK(pthread_create(&thread, NULL, overrun, NULL) == 0);
  for (;;) pause();
}

// --- Continuations -------------------------------------------------------------------------------------------

#if defined(__x86_64__)

static void resume_1(void) { __asm__ volatile("nop"); }
static void resume_2(void) { __asm__ volatile("nop\n nop"); }
static void resume_3(void) { __asm__ volatile("nop\n nop\n nop"); }

// As the Swift compiler begins async functions; the context comes in r14.
__asm__(
    ".text\n"
    ".type probe_async, @function\n"
    "probe_async:\n"
    "  .cfi_startproc\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  pushq %r14\n"
    "  .cfi_def_cfa_offset 24\n"
    "  leaq 8(%rsp), %rbp\n"
    "  .cfi_def_cfa %rbp, 16\n"
    "  pushq %rax\n"
    "  xorl %r14d, %r14d\n"
    "  ud2\n"
    "  .cfi_endproc\n"
    ".size probe_async, . - probe_async\n"

    ".type enter_async, @function\n"
    "enter_async:\n"
    "  .cfi_startproc\n"
    "  pushq %r14\n"
    "  .cfi_def_cfa_offset 16\n"
    "  movq %rdi, %r14\n"
    "  call probe_async\n"
    "  .cfi_endproc\n"
    ".size enter_async, . - enter_async\n"

    // The trap comes behind the instruction after the one that allows it: at the first of the async function.
    ".type step_into_async, @function\n"
    "step_into_async:\n"
    "  .cfi_startproc\n"
    "  pushq %r14\n"
    "  .cfi_def_cfa_offset 16\n"
    "  movq %rdi, %r14\n"
    "  pushfq\n"
    "  .cfi_def_cfa_offset 24\n"
    "  orq $0x100, (%rsp)\n"
    "  popfq\n"
    "  .cfi_def_cfa_offset 16\n"
    "  call probe_async\n"
    "  .cfi_endproc\n"
    ".size step_into_async, . - step_into_async\n");

extern void enter_async(const context *own) __asm__("enter_async");
extern void step_into_async(const context *own) __asm__("step_into_async");

static const context chain[] = {{&chain[1], resume_1}, {&chain[2], resume_2}, {NULL, resume_3}};

static int run_with(void (*run)(const context *), const context *own) {
  install_crashkit();
  say("%#018lx\n%#018lx\n%#018lx\n", (uintptr_t)resume_1, (uintptr_t)resume_2, (uintptr_t)resume_3);
  run(own);
  return 1;
}

static int chain_whole(void) { return run_with(enter_async, chain); }
static int chain_at_entry(void) { return run_with(step_into_async, chain); }

static int chain_in_a_loop(void) {
  static context loop[3];
  for (int i = 0; i < 3; ++i) loop[i] = (context){&loop[(i + 1) % 3], chain[i].resume};
  return run_with(enter_async, loop);
}

static int chain_unreadable(void) {
  static context cut[2];
  cut[0] = (context){&cut[1], resume_1};
  cut[1] = (context){(const context *)protected_page(), resume_2};
  return run_with(enter_async, cut);
}

static int chain_without_code(void) {
  static context cut[2];
  cut[0] = (context){&cut[1], resume_1};
  cut[1] = (context){chain, (void (*)(void))(uintptr_t)cut};
  return run_with(enter_async, cut);
}

static int chain_without_end(void) {
  size_t count = 1000000;
  context *all = calloc(count, sizeof *all);
  CHECK(all != NULL);
  for (size_t i = 0; i + 1 < count; ++i) all[i] = (context){&all[i + 1], resume_1};
  return run_with(enter_async, all);
}

#endif

const probe task_probes[] = {
    {"task-named", named_task},
    {"task-long-name", long_name},
    {"task-records-loop", records_in_a_loop},
    {"task-records-unreadable", records_unreadable},
    {"task-name-unreadable", name_unreadable},
    {"task-unreadable", unreadable},
    {"task-other-object", other_object},
    {"task-unknown-layout", unknown_layout},
    {"task-breadcrumbs", breadcrumbs},
    {"task-storage-damaged", storage_damaged},
    {"thread-words-overrun", words_overrun},
    {"task-storage-damaged-elsewhere", storage_damaged_elsewhere},
#if defined(__x86_64__)
    {"chain-whole", chain_whole},
    {"chain-at-entry", chain_at_entry},
    {"chain-loop", chain_in_a_loop},
    {"chain-unreadable", chain_unreadable},
    {"chain-without-code", chain_without_code},
    {"chain-without-end", chain_without_end},
#endif
    {NULL, NULL},
};
