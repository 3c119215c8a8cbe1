// At install: the loader's records, mprotect. The two functions that replace the locks: on the capturing thread they
// only read the thread's mark, and elsewhere they call the library's usual functions.

#include "stack/unwinder_locks.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CGround/look_up.h"
#include "CProcessHooks.h"

typedef int lock_function(pthread_mutex_t *);
static lock_function *real_lock, *real_unlock;

// Async-signal-safe on a thread that makes a report. Its pool is a list of free blocks: what a stopped thread may have
// read of it is true again when the report is done, since what is taken meanwhile is given back.
static int lock(pthread_mutex_t *mutex) { return cph_signal_masks_are_fixed ? 0 : real_lock(mutex); }
static int unlock(pthread_mutex_t *mutex) { return cph_signal_masks_are_fixed ? 0 : real_unlock(mutex); }

struct library {
  ElfW(Addr) base;
  const ElfW(Dyn) * dynamic;
  const ElfW(Sym) * symbols;
  const char *names;
  const ElfW(Rela) * relocations[2];
  size_t counts[2];
  uintptr_t relro_start, relro_end;  // what the loader has made read-only
};

static int find_segments(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct library *library = argument;
  if (info->dlpi_addr != library->base) return 0;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = library->base + segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC) library->dynamic = (const void *)start;
    if (segment->p_type != PT_GNU_RELRO) continue;
    library->relro_start = start & -page;
    library->relro_end = (start + segment->p_memsz) & -page;
  }
  return 1;
}

// glibc puts addresses in the place of the file's offsets, other loaders leave those.
static const void *address_in(const struct library *library, ElfW(Addr) value) {
  return (const void *)(value < library->base ? library->base + value : value);
}

static bool read_library(void *handle, struct library *library) {
  struct link_map *map;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return false;
  memset(library, 0, sizeof *library);
  library->base = map->l_addr;
  dl_iterate_phdr(find_segments, library);
  for (const ElfW(Dyn) *entry = library->dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB: library->symbols = address_in(library, entry->d_un.d_ptr); break;
      case DT_STRTAB: library->names = address_in(library, entry->d_un.d_ptr); break;
      case DT_RELA: library->relocations[0] = address_in(library, entry->d_un.d_ptr); break;
      case DT_RELASZ: library->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
      case DT_JMPREL: library->relocations[1] = address_in(library, entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: library->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
      default: break;
    }
  }
  return library->symbols && library->names;
}

// Each slot that holds the address of `function`, which the loader has put there, gets `ours`.
static void replace(const struct library *library, const char *name, lock_function *function, lock_function *ours) {
  for (int table = 0; table < 2; ++table) {
    for (size_t i = 0; library->relocations[table] && i < library->counts[table]; ++i) {
      const ElfW(Rela) *relocation = &library->relocations[table][i];
      size_t symbol = sizeof(void *) == 8 ? ELF64_R_SYM(relocation->r_info) : ELF32_R_SYM(relocation->r_info);
      if (symbol == 0 || strcmp(library->names + library->symbols[symbol].st_name, name) != 0) continue;
      lock_function *_Atomic *slot = (lock_function * _Atomic *)(library->base + relocation->r_offset);
      if (atomic_load(slot) == function) atomic_store(slot, ours);
    }
  }
}

void ck_unwinder_locks_leave_out(void *handle) {
  struct library library;
  if (real_lock || !read_library(handle, &library)) return;
  lock_function *found_lock = (lock_function *)cgr_look_up(RTLD_DEFAULT, "pthread_mutex_lock");
  lock_function *found_unlock = (lock_function *)cgr_look_up(RTLD_DEFAULT, "pthread_mutex_unlock");
  if (!found_lock || !found_unlock) return;
  size_t size = library.relro_end - library.relro_start;
  void *relro = (void *)library.relro_start;
  if (size > 0 && mprotect(relro, size, PROT_READ | PROT_WRITE) != 0) return;
  real_lock = found_lock;
  real_unlock = found_unlock;
  // The unlocking first: another thread may be using the same copy, and finds what it has taken real.
  replace(&library, "pthread_mutex_unlock", found_unlock, unlock);
  replace(&library, "pthread_mutex_lock", found_lock, lock);
  if (size > 0) mprotect(relro, size, PROT_READ);
}
