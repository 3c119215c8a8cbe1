// abort() on a thread's stack. System calls only.

#include "threads/abort_call.h"

#include <dlfcn.h>
#include <link.h>

#include "CGround/look_up.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/return_address.h"
#include "processor/maps.h"
#include "processor/operand.h"
#include "stack/fde.h"

#define WORDS 64

static struct { uint64_t start, end; } code, library_code;
static const crp_images *known_images;

void ck_abort_prepare(const crp_images *images) {
  known_images = images;
  void *found = cgr_look_up(RTLD_NEXT, "abort");
  Dl_info library;
  const ElfW(Sym) *symbol = NULL;
  if (!found || !dladdr1(found, &library, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return;
  code.start = (uintptr_t)found;
  code.end = code.start + symbol->st_size;
  const crp_image *image = crp_image_at(images, code.start);
  if (image) library_code = (typeof(library_code)){image->base, image->end_of_text};
}

bool ck_abort_is_known(void) { return code.start != code.end; }

static bool is_in_abort(uintptr_t address) { return address > code.start && address < code.end; }

static size_t read_stack(const ck_registers *registers, uint64_t words[WORDS]) {
  return cgr_memory_read(registers->values[CK_REGISTER_SP], words, WORDS * sizeof *words) / sizeof *words;
}

bool ck_abort_is_calling(const ck_registers *registers) {
  uint64_t words[WORDS];
  size_t got = read_stack(registers, words);
  for (size_t i = 0; i < got; ++i)
    if (is_in_abort(cgr_without_signature(words[i]))) return true;
  return false;
}

// The bytes before data may look like a call: those of a table of pointers depend on where the program is loaded. And a
// register may hold the address of a function, behind a call that never returns.
static bool is_return_address(uint64_t address) {
  if (!ck_follows_call(address)) return false;
  const crp_image *image = crp_image_at(known_images, address - 1);
  if (image) return address - 1 < image->end_of_text && ck_fde_function_start(image, address) != address;
  ck_map_query query = {.address = address - 1};
  return ck_maps_query(&query, 1) && query.at.executable;
}

// The same, if nothing outside of abort's library has called what abort calls: a frame of an abort that was left by a
// jump may lie further up.
static bool is_called_by_abort(const ck_registers *registers) {
  uint64_t words[WORDS];
  size_t got = read_stack(registers, words);
  for (size_t i = 0; i < got; ++i) {
    uintptr_t address = cgr_without_signature(words[i]);
    if (is_in_abort(address)) return true;
    bool is_inside = address >= library_code.start && address < library_code.end;
    if (!is_inside && is_return_address(address)) return false;
  }
  return false;
}

bool ck_abort_has_raised(int signal, const siginfo_t *info, const ck_registers *registers) {
  bool is_raised = info->si_code == SI_TKILL || info->si_code == SI_USER;
  return signal == SIGABRT && is_raised && info->si_pid == (pid_t)cgr_process_id() && is_called_by_abort(registers);
}
