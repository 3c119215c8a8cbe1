// Finds where the Swift runtime keeps the current task. Ordinary libc, at the start.

#include "threads/swift_tasks.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "CGround/look_up.h"
#include "ground/slow_path.h"

size_t ctg_task_module, ctg_task_offset;
const uint64_t ctg_no_task;

struct search {
  uintptr_t code, block;
  size_t module, size;
};

static int find_storage(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  bool holds = false;
  size_t storage = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type == PT_LOAD) holds |= search->code - info->dlpi_addr - header->p_vaddr < header->p_memsz;
    if (header->p_type == PT_TLS) storage = header->p_memsz;
  }
  if (!holds) return 0;
  search->module = info->dlpi_tls_modid;
  search->block = (uintptr_t)info->dlpi_tls_data;
  search->size = storage;
  return 1;
}

// The variable is the word that changes what the runtime answers. No handler runs on this thread meanwhile.
static bool find_variable(void *(*current)(void), const struct search *search) {
  static const uintptr_t mark = 0x6b736174;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool is_found = false;
  for (size_t offset = 0; offset + sizeof(uintptr_t) <= search->size && !is_found; offset += sizeof(uintptr_t)) {
    volatile uintptr_t *word = (volatile uintptr_t *)(search->block + offset);
    uintptr_t kept = *word;
    *word = mark;
    is_found = (uintptr_t)current() == mark;
    *word = kept;
    ctg_task_offset = offset;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return is_found;
}

void ctg_tasks_prepare(void) {
  void *(*current)(void) = (void *(*)(void))cgr_look_up(RTLD_DEFAULT, "swift_task_getCurrent");
  if (!current) return;
  current();  // makes the block, where that happens at first use
  struct search search = {.code = (uintptr_t)current};
  if (!dl_iterate_phdr(find_storage, &search) || !search.block || !find_variable(current, &search)) return;
  ctg_task_module = search.module;
  // Of a library that came with the program the block is part of each thread; another's is made at the first use.
  if (!ctg_task_block_is_fixed()) ctg_slow_path_want(CTG_SLOW_TASKS_MOVE);
}
