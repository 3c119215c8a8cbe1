// Texts that other code keeps, read without calling that code. Reads through cgr_memory_read.

#include "report/message.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>

#include "CGround/look_up.h"
#include "CProcessHooks.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"

// libswiftCore's variable that points to the last fatal message (Swift 6.3: swift_getFatalErrorMessageBuffer).
static uint64_t swift_message_variable;
// glibc's pointer to a 4-byte size and the text of the last abort message (private, but kept for debuggers since 2.4).
static uint64_t libc_message_variable;

// Weak, for programs that hold the Swift runtime inside and export nothing.
extern void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

void ck_message_prepare(void) {
  void *(*buffer)(void) = swift_getFatalErrorMessageBuffer;
  if (!buffer) buffer = (void *(*)(void))cgr_look_up(RTLD_DEFAULT, "swift_getFatalErrorMessageBuffer");
  swift_message_variable = buffer ? (uintptr_t)buffer() : 0;
  libc_message_variable = (uintptr_t)cgr_look_up_version("__abort_msg", "GLIBC_PRIVATE");
}

static _Atomic uint64_t heard_swift, heard_libc;
static _Atomic uint32_t heard_words;

// The runtimes' own variables, which stay as long as the process does.
static uint64_t present(uint64_t variable) {
  return variable ? __atomic_load_n((const uint64_t *)(uintptr_t)variable, __ATOMIC_RELAXED) : 0;
}

void ck_message_take_turn(ck_last_signs *signs, int signal) {
  signs->old_swift_message = heard_swift;
  signs->old_libc_message = heard_libc;
  signs->old_words = heard_words;
  if (signal != SIGABRT && signal != SIGILL && signal != SIGTRAP) return;
  heard_swift = present(swift_message_variable);
  heard_libc = present(libc_message_variable);
  heard_words = cph_last_words_end_turn();
}

static bool read_new(uint64_t variable, uint64_t old, uint64_t *pointer) {
  return variable && cgr_memory_read(variable, pointer, 8) == 8 && *pointer && *pointer != old;
}

static void trim(cgr_text *text) {
  size_t size = 0;
  while (size < text->size && text->bytes[size]) ++size;
  while (size > 0 && text->bytes[size - 1] == '\n') --size;
  text->size = size;
}

static void copy_text(cgr_text *text, uint64_t from) {
  text->size = cgr_memory_read(from, text->bytes, text->capacity);
  trim(text);
}

void ck_message_write(cgr_text *text, const ck_fault *fault, int tid) {
  uint64_t pointer = 0;
  const ck_last_signs *signs = &fault->signs;
  if (read_new(swift_message_variable, signs->old_swift_message, &pointer)) return copy_text(text, pointer);
  const char *words;
  size_t size = cph_last_words(tid, signs->old_words, &words);
  if (size > 0) {
    cgr_text_bytes(text, words, size);
    return trim(text);
  }
  if (fault->signal != SIGABRT) return;
  if (read_new(libc_message_variable, signs->old_libc_message, &pointer)) return copy_text(text, pointer + 4);
  if (!fault->has_sender || fault->info.si_pid != (int)cgr_process_id()) return;
  cph_panic panic;
  if (!cph_last_panic(&panic) || !cph_panic_goes_on(&panic, tid, fault->registers.values[CK_REGISTER_SP])) return;
  cgr_text_bytes(text, panic.text, panic.size);
  trim(text);
}
