// Which Swift task a thread runs. Reads that cannot fault.

#include "tasks/swift_task.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>

#include "CGround/look_up.h"
#include "CSecrets.h"
#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "record/context_table.h"
#include "record/current_task.h"

// Weak, for programs that hold the Swift runtime inside and export nothing.
extern void *swift_task_getCurrent(void) __attribute__((weak));

// --- The current task ----------------------------------------------------------------------------------------

static uint64_t object_of_thread(uintptr_t thread_pointer) {
  size_t module = atomic_load_explicit(&ck_task_variable_found.module, memory_order_acquire);
  uintptr_t block = module ? ck_thread_storage(thread_pointer, module) : 0;
  uint64_t task = 0, variable = block + ck_task_variable_found.offset;
  return block && cgr_memory_read(variable, &task, sizeof task) == sizeof task ? task : 0;
}

uint64_t ck_swift_task_of_thread(uintptr_t thread_pointer) {
  if (thread_pointer == 0) return 0;
  uint64_t object = object_of_thread(thread_pointer), context = ck_context_of_thread(thread_pointer);
  return object || context == 0 ? object : context << 1 | 1;
}

uint64_t ck_swift_task_current(void) { return ck_swift_task_of_thread((uintptr_t)__builtin_thread_pointer()); }

// --- Reading a task ------------------------------------------------------------------------------------------

bool ck_swift_task_copy(uint64_t object, ck_task_copy *copy) {
  return ck_task_layout_found.is_known && object != 0 && object % TERM_TASK_ALIGNMENT == 0
         && cgr_memory_read(object, copy->bytes, TERM_TASK_BYTES) >= TERM_TASK_SIZE
         && ck_task_word(copy->bytes, 0) == ck_task_layout_found.task_metadata
         && (ck_task_half(copy->bytes, TERM_TASK_FLAGS) & TERM_JOB_KIND) == 0;
}

bool ck_swift_task_parent(const uint8_t *task, ck_task_copy *parent) {
  return ck_task_half(task, TERM_TASK_FLAGS) & TERM_JOB_IS_CHILD
         && ck_swift_task_copy(ck_task_word(task, TERM_TASK_PARENT), parent);
}

static void read_name(uint64_t from, ck_task_identity *identity) {
  char text[TERM_TASK_NAME_MAX + CSEC_SECRET_BEYOND];  // the end of a credential shows that its beginning is one
  size_t size = cgr_memory_read_text(from, text, sizeof text);
  identity->name_size = (uint16_t)csec_copy_without_secrets(identity->name, text, size, sizeof identity->name);
}

static void find_name(const uint8_t *task, ck_task_identity *identity) {
  if (!(ck_task_half(task, TERM_TASK_FLAGS) & TERM_JOB_HAS_NAME)) return;
  uint64_t record = ck_task_word(task, TERM_TASK_RECORD);
  for (int i = 0; i < TERM_TASK_RECORDS_MAX && record != 0; ++i) {
    uint64_t words[3];
    if (cgr_memory_read(record, words, sizeof words) < sizeof words) return;
    if ((words[0] & TERM_RECORD_KIND) == TERM_RECORD_NAME) return read_name(words[2], identity);
    record = words[1];
  }
}

// swift, include/swift/ABI/TaskLocal.h: an item is the next one, with its own kind in bits 1 and 2; of a value then the
// key, the type and the value. The other kinds are marks, and shorter.
#define LOCALS_MAX 64
#define LOCAL_KIND 7u
#define LOCAL_IS_MARK 4u
#define LOCAL_STOPS 6u

uint64_t ck_swift_task_context(const uint8_t *task) {
  uint64_t key = atomic_load_explicit(&ck_context_key, memory_order_acquire);
  uint64_t item = ck_task_word(task, TERM_TASK_LOCALS);
  for (int i = 0; i < LOCALS_MAX && key != 0 && item != 0; ++i) {
    uint64_t words[4] = {0}, scope[3];
    if (cgr_memory_read(item, words, sizeof words) < sizeof *words) return 0;
    uint64_t kind = words[0] & LOCAL_KIND;
    if (kind == LOCAL_STOPS) return 0;
    if (kind < LOCAL_IS_MARK && words[1] == key)
      return cgr_memory_read(words[3], scope, sizeof scope) == sizeof scope ? (uint32_t)scope[2] : 0;
    item = words[0] & ~(uint64_t)LOCAL_KIND;
  }
  return 0;
}

void ck_swift_task_identify(const uint8_t *task, ck_task_identity *identity) {
  identity->id = ck_task_id(task);
  identity->name_size = 0;
  find_name(task, identity);
}

void ck_swift_task_read(uint64_t object, ck_swift_task *task) {
  cgr_zero(task, sizeof *task);
  if (object & 1) task->context = object >> 1;
  ck_task_copy copy = {0}, parent;
  if (!ck_swift_task_copy(object, &copy)) return;
  ck_swift_task_identify(copy.bytes, &task->own);
  task->context = ck_swift_task_context(copy.bytes);
  if (ck_swift_task_parent(copy.bytes, &parent)) ck_swift_task_identify(parent.bytes, &task->parent);
}

// --- Install -------------------------------------------------------------------------------------------------

typedef struct tls_search {
  uintptr_t code;
  size_t module;
  uintptr_t block;
  size_t size;
} tls_search;

static int find_storage(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  tls_search *search = context;
  bool holds = false;
  size_t storage_size = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type == PT_LOAD) holds |= search->code - info->dlpi_addr - header->p_vaddr < header->p_memsz;
    if (header->p_type == PT_TLS) storage_size = header->p_memsz;
  }
  if (!holds) return 0;
  search->module = info->dlpi_tls_modid;
  search->block = (uintptr_t)info->dlpi_tls_data;
  search->size = storage_size;
  return 1;
}

// The variable is the word that changes what the runtime answers. For the moment that this takes, nothing else runs on
// this thread, and the words are its own.
static bool find_variable(void *(*current)(void), uintptr_t block, size_t size) {
  static const uintptr_t mark = 0x5441534bu;
  uint64_t all = ~0ull, before = 0;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
  bool found = false;
  for (size_t offset = 0; offset + 8 <= size && !found; offset += 8) {
    volatile uintptr_t *word = (volatile uintptr_t *)(block + offset);
    uintptr_t kept = *word;
    *word = mark;
    found = (uintptr_t)current() == mark;
    *word = kept;
    ck_task_variable_found.offset = offset;
  }
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
  return found;
}

void ck_swift_task_prepare(void) {
  ck_task_layout_prepare();
  void *(*current)(void) = swift_task_getCurrent;
  if (!current) current = (void *(*)(void))cgr_look_up(RTLD_DEFAULT, "swift_task_getCurrent");
  if (!current || !ck_task_layout_found.is_known) return;
  current();  // makes the block where it is made at first use
  tls_search search = {.code = (uintptr_t)current};
  if (dl_iterate_phdr(find_storage, &search) == 0 || search.block == 0) return;
  uintptr_t own_block = ck_thread_storage((uintptr_t)__builtin_thread_pointer(), search.module);
  if (search.block != own_block || !find_variable(current, search.block, search.size)) return;
  ck_task_variable_found.metadata = ck_task_layout_found.task_metadata;
  atomic_store_explicit(&ck_task_variable_found.module, search.module, memory_order_release);
}
