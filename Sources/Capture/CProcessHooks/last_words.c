// Interposed fputs and fwrite. libstdc++ prints an uncaught exception's type and what() by them, and older Swift
// runtimes print their fatal errors. Neither keeps the text anywhere else.

#include "last_words.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "continuation_leaks.h"
#include "process_threads.h"
#include "real_functions.h"
#include "CGround/own_ids.h"

static char words[CPH_WORDS_MAX];
static _Atomic size_t words_size;
static _Atomic int speaker;  // the thread whose words they are; the first one of a turn keeps them
static _Atomic uint32_t turn, ended_turn;
static bool complete;  // written and read by that thread only: nothing more belongs to them

// libstdc++ prints its message in pieces, from these words on.
static bool begins_in_pieces(const char *text, size_t size) {
  static const char *const beginnings[] = {"terminate called", "pure virtual method called"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i) {
    size_t length = strlen(beginnings[i]);
    if (size >= length && memcmp(text, beginnings[i], length) == 0) return true;
  }
  return false;
}

static void keep(const char *text, size_t length, size_t at) {
  if (length > CPH_WORDS_MAX - at) length = CPH_WORDS_MAX - at;
  memcpy(words + at, text, length);
  atomic_store_explicit(&words_size, at + length, memory_order_release);
}

static void listen(const char *text, size_t length) {
  // Runtimes before Swift 6 print "FILE:LINE: Fatal error: …" at once.
  bool whole = memmem(text, length, "Fatal error: ", 13) != NULL;
  bool anew = whole || begins_in_pieces(text, length), has_ended = turn == ended_turn;
  if (has_ended && !anew) return;
  int self = (int)cgr_thread_id(), current = atomic_load_explicit(&speaker, memory_order_relaxed);
  if (current != self && (!has_ended || !atomic_compare_exchange_strong(&speaker, &current, self))) return;
  if (complete && !anew) return;
  complete = whole;
  if (anew) ++turn;
  keep(text, length, anew ? 0 : atomic_load_explicit(&words_size, memory_order_relaxed));
}

size_t cph_last_words(int tid, uint32_t old, const char **text) {
  *text = words;
  if (atomic_load(&speaker) != tid || turn == old) return 0;
  return atomic_load_explicit(&words_size, memory_order_acquire);
}

// Another thread's signal may come between what the speaker prints and its own.
uint32_t cph_last_words_end_turn(void) {
  if (atomic_load(&speaker) == (int)cgr_thread_id()) ended_turn = turn;
  return ended_turn;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int fputs(const char *restrict text, FILE *restrict stream) {
  cph_real_functions_find();
  cph_thread_seen();
  if (stream != stderr) return cph_real_fputs(text, stream);
  size_t length = strlen(text);
  listen(text, length);
  int result = cph_real_fputs(text, stream);
  cph_continuation_leaks_read(text, length, __builtin_return_address(0));
  return result;
}

// Compilers turn fputs of a constant into this.
EXPORT size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict stream) {
  cph_real_functions_find();
  cph_thread_seen();
  if (stream == stderr) listen(bytes, size * count);
  return cph_real_fwrite(bytes, size, count, stream);
}
