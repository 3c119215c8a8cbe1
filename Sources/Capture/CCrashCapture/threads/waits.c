// Waits in futex(2), of threads of this process. Reads that cannot fault.

#include "threads/waits.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "CGround/memory.h"
#include "CGround/syscalls.h"

#define FUNCTIONS_MAX 32

static struct { uint64_t start, end; } places[FUNCTIONS_MAX];

void ck_waits_prepare(void) {
  // libc's own: what is found first may be another part's, in front of it.
  void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!libc) return;
  const term_wait_function *function;
  for (size_t i = 0; i < FUNCTIONS_MAX && (function = term_wait_function_at(i)); ++i) {
    Dl_info image;
    const ElfW(Sym) *symbol = NULL;
    void *found = dlsym(libc, function->name);
    if (!found || !dladdr1(found, &image, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) continue;
    places[i].start = (uintptr_t)found;
    places[i].end = places[i].start + symbol->st_size;
  }
  dlclose(libc);
}

// Between the function that the program called and the system call lie a few of libc's own.
#define FRAMES_LOOKED_AT 6

static term_wait function_of(const ck_stack *stack) {
  for (uint32_t frame = 0; frame < stack->count && frame < FRAMES_LOOKED_AT; ++frame)
    for (size_t i = 0; i < FUNCTIONS_MAX; ++i)
      if (stack->addresses[frame] > places[i].start && stack->addresses[frame] <= places[i].end)
        return term_wait_function_at(i)->kind;
  return TERM_WAIT_NONE;
}

static bool is_thread(int id) { return id > 0 && cgr_syscall3(SYS_tgkill, cgr_syscall0(SYS_getpid), id, 0) == 0; }

static int owner_of(term_wait kind, uint64_t word) {
  uint32_t words[TERM_OWNER_WORDS_MAX];
  size_t size = term_owner_words(kind) * sizeof *words;
  if (size == 0 || cgr_memory_read(term_owner_place(kind, word), words, size) != size) return 0;
  int owner = term_owner(kind, words);
  return is_thread(owner) ? owner : 0;
}

void ck_thread_read_wait(ck_thread *thread) {
  static const uint8_t arguments[6] = CK_SYSCALL_ARGUMENTS;
  const uint64_t *values = thread->registers.values;
  thread->wait = (ck_wait){TERM_WAIT_NONE, 0, 0};
  if (!thread->in_call || thread->call != SYS_futex) return;
  uint64_t word = values[arguments[0]];
  term_wait kind = term_wait_in_futex(function_of(&thread->stack), values[arguments[1]]);
  if (kind == TERM_WAIT_NONE) return;
  int owner = owner_of(kind, word);
  if (kind == TERM_WAIT_THREAD && (owner == 0 || values[arguments[2]] != (uint64_t)owner)) return;
  thread->wait = (ck_wait){kind, term_wait_lock(kind, word), owner};
}
