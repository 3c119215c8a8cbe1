// abort() on a thread's stack. Calls cgr_memory_read and cgr_process_id only.

#include "threads/abort_call.h"

#include <dlfcn.h>
#include <link.h>

#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/return_address.h"

#define WORDS 64

static struct { uint64_t start, end; } code;

void ck_abort_prepare(void) {
  void *found = dlsym(RTLD_NEXT, "abort");
  Dl_info library;
  const ElfW(Sym) *symbol = NULL;
  if (!found || !dladdr1(found, &library, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return;
  code.start = (uintptr_t)found;
  code.end = code.start + symbol->st_size;
}

bool ck_abort_is_known(void) { return code.start != code.end; }

bool ck_abort_is_calling(const ck_registers *registers) {
  uint64_t words[WORDS];
  size_t got = cgr_memory_read(registers->values[CK_REGISTER_SP], words, sizeof words) / sizeof *words;
  for (size_t i = 0; i < got; ++i) {
    uintptr_t word = cgr_without_signature(words[i]);
    if (word > code.start && word < code.end) return true;
  }
  return false;
}

bool ck_abort_has_raised(int signal, const siginfo_t *info, const ck_registers *registers) {
  bool is_raised = info->si_code == SI_TKILL || info->si_code == SI_USER;
  return signal == SIGABRT && is_raised && info->si_pid == (pid_t)cgr_process_id() && ck_abort_is_calling(registers);
}
