// Which Swift task a thread runs. System calls and reads of the thread's own thread-local storage only.
//
// swift_task_getCurrent reads a thread-local variable by way of __tls_get_addr, which may allocate after a dlopen. Here
// the thread's vector of storage blocks (DTV) is looked at instead, and a block that is not there yet means no task.
// The vector's layout is glibc's own, but kept for debuggers (libthread_db); it is tried out at install.

#include "stack/swift_task.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>

#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "CGround/utf8.h"

// Weak, for programs that hold the Swift runtime inside and export nothing.
extern void *swift_task_getCurrent(void) __attribute__((weak));
// What the runtime tells debuggers (swift, stdlib/public/Concurrency/Debug.h).
extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));
extern const size_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));

// --- The current task ----------------------------------------------------------------------------------------

static size_t module;           // the loader's number of the runtime's thread-local storage; 0 where tasks are not told
static size_t variable_offset;  // of the current task in it

typedef union storage_vector_entry {
  size_t counter;  // before entry 0: how many there are
  struct {
    uintptr_t block;
    void *allocation;
  } pointer;
} storage_vector_entry;

#define BLOCK_NOT_ALLOCATED UINTPTR_MAX

// The word of the thread's control block that points to its storage vector.
#if defined(__x86_64__)
#define STORAGE_VECTOR_WORD 1
#elif defined(__aarch64__)
#define STORAGE_VECTOR_WORD 0
#endif

// The control block stands above the thread's stack, where an overrun writes over it: what it points to is read by
// calls that cannot fault, since a stopped thread has no guard.
static uintptr_t storage_block(size_t number) {
  uintptr_t vector = ((const uintptr_t *)__builtin_thread_pointer())[STORAGE_VECTOR_WORD];
  storage_vector_entry count, entry;
  if (vector == 0 || cgr_memory_read(vector - sizeof count, &count, sizeof count) < sizeof count) return 0;
  uintptr_t at = vector + number * sizeof entry;
  if (number > count.counter || cgr_memory_read(at, &entry, sizeof entry) < sizeof entry) return 0;
  return entry.pointer.block == BLOCK_NOT_ALLOCATED ? 0 : entry.pointer.block;
}

uint64_t ck_swift_task_current(void) {
  if (module == 0) return 0;
  uintptr_t block = storage_block(module);
  uint64_t task = 0;
  return block && cgr_memory_read(block + variable_offset, &task, sizeof task) == sizeof task ? task : 0;
}

// --- Reading a task ------------------------------------------------------------------------------------------

// Layout version 1, 64 bits (swift 6.1 to 6.3: include/swift/ABI/Task.h, TaskStatus.h, MetadataValues.h;
// stdlib/public/Concurrency/TaskPrivate.h).
#define LAYOUT_VERSION 1
#define TASK_SIZE 0xd0
#define TASK_FLAGS 0x20
#define TASK_ID_LOW 0x24
#define TASK_STATUS_RECORD 0x68
#define TASK_ID_HIGH 0x90
#define FLAG_KIND_MASK 0xffu   // 0 for tasks
#define FLAG_CHILD (1u << 24)  // the parent follows the task
#define FLAG_NAMED (1u << 30)
#define RECORD_KIND_NAME 6
#define RECORDS_MAX 64

static uint64_t task_metadata;

static uint64_t word_at(const uint8_t *bytes, size_t offset, size_t size) {
  uint64_t word = 0;
  cgr_copy(&word, bytes + offset, size);
  return word;
}

static bool read_header(uint64_t object, uint8_t bytes[TASK_SIZE + 8]) {
  return object % 16 == 0 && cgr_memory_read(object, bytes, TASK_SIZE + 8) >= TASK_SIZE
         && word_at(bytes, 0, 8) == task_metadata && (word_at(bytes, TASK_FLAGS, 4) & FLAG_KIND_MASK) == 0;
}

static void read_name(uint64_t from, ck_task_identity *identity) {
  char text[CK_TASK_NAME_MAX + 1];
  size_t got = cgr_memory_read(from, text, sizeof text), size = 0;
  while (size < got && text[size]) ++size;
  identity->name_size = (uint16_t)cgr_copy_cut(identity->name, text, size, sizeof identity->name);
}

// A record is its kind, the next one outwards, and what its kind has.
static void find_name(const uint8_t *task, ck_task_identity *identity) {
  if (!(word_at(task, TASK_FLAGS, 4) & FLAG_NAMED)) return;
  uint64_t record = word_at(task, TASK_STATUS_RECORD, 8);
  for (int i = 0; i < RECORDS_MAX && record != 0; ++i) {
    uint64_t words[3];
    if (cgr_memory_read(record, words, sizeof words) < sizeof words) return;
    if ((words[0] & 0xff) == RECORD_KIND_NAME) return read_name(words[2], identity);
    record = words[1];
  }
}

static void identify(const uint8_t *task, ck_task_identity *identity) {
  identity->id = word_at(task, TASK_ID_HIGH, 4) << 32 | word_at(task, TASK_ID_LOW, 4);
  find_name(task, identity);
}

void ck_swift_task_read(uint64_t object, ck_swift_task *task) {
  cgr_zero(task, sizeof *task);
  uint8_t bytes[TASK_SIZE + 8];
  if (object == 0 || !read_header(object, bytes)) return;
  identify(bytes, &task->own);
  if (!(word_at(bytes, TASK_FLAGS, 4) & FLAG_CHILD)) return;
  if (read_header(word_at(bytes, TASK_SIZE, 8), bytes)) identify(bytes, &task->parent);
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
    variable_offset = offset;
  }
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
  return found;
}

static const void *exported(const void *linked, const char *name) {
  return linked ? linked : dlsym(RTLD_DEFAULT, name);
}

static bool layout_is_known(void) {
  const uint32_t *version =
      exported(&_swift_concurrency_debug_internal_layout_version, "_swift_concurrency_debug_internal_layout_version");
  const size_t *size = exported(&_swift_concurrency_debug_asyncTaskSize, "_swift_concurrency_debug_asyncTaskSize");
  const uint64_t *metadata =
      exported(&_swift_concurrency_debug_asyncTaskMetadata, "_swift_concurrency_debug_asyncTaskMetadata");
  if (!version || !size || !metadata || *version != LAYOUT_VERSION || *size != TASK_SIZE) return false;
  task_metadata = *metadata;
  return true;
}

void ck_swift_task_prepare(void) {
  void *(*current)(void) = (void *(*)(void))exported((const void *)swift_task_getCurrent, "swift_task_getCurrent");
  if (!current || !layout_is_known()) return;
  current();  // makes the block where it is made at first use
  tls_search search = {.code = (uintptr_t)current};
  if (dl_iterate_phdr(find_storage, &search) == 0 || search.block == 0) return;
  if (search.block == storage_block(search.module) && find_variable(current, search.block, search.size))
    module = search.module;
}
