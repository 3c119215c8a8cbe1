// Interposed write and writev. Rust's runtime prints a panic to standard error by them, and keeps it nowhere else.
// Nothing else that the program prints is kept. System calls and plain memory: the program may write in a handler.

#include "panic_words.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "real_functions.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"

/// The longest beginning of a panic, its thread's name included.
#define OPENING_MAX 320
#define KEPT_NS 10000000000ull
/// So much of the stack lies at most between the function that panicked and the one that prints: less than 1 KiB in
/// Rust's runtime, and more if the program has a hook of its own.
#define PRINTING_BYTES 4096

// A short panic is printed by one call. A longer one, and each one before Rust 1.77, comes in pieces: "thread '",
// "main", "' panicked at ", and so on; the last piece is a line's end.
enum { NOTHING, OPENING, SPEAKING, COMPLETE };
static _Atomic int stage;
static _Atomic int speaker;  // the thread that panics
static _Atomic bool busy;    // a thread is at the words
static _Atomic size_t words_size;
static uint64_t spoken_at;
static uintptr_t spoken_from;
static char words[CPH_WORDS_MAX];

static uint64_t now(void) {
  struct timespec time;
  cgr_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Where a text begins in another, or that one's size. Not memmem: a crash handler may not have libc bound.
static size_t find(const char *bytes, size_t size, const char *text, size_t length) {
  for (size_t at = 0; at + length <= size; ++at) {
    size_t same = 0;
    while (same < length && bytes[at + same] == text[same]) ++same;
    if (same == length) return at;
  }
  return size;
}

static bool is_panic(const char *bytes, size_t size) {
  static const char text[] = " panicked at ";
  return find(bytes, size, text, sizeof text - 1) < size;
}

static void keep(const char *bytes, size_t size) {
  size_t at = atomic_load_explicit(&words_size, memory_order_relaxed);
  if (size > CPH_WORDS_MAX - at) size = CPH_WORDS_MAX - at;
  memcpy(words + at, bytes, size);
  atomic_store_explicit(&words_size, at + size, memory_order_release);
}

static void begin(int self, const char *bytes, size_t size) {
  bool whole = is_panic(bytes, size < OPENING_MAX ? size : OPENING_MAX);
  // Without the thread's name it ends with the quotation mark.
  if (!whole && bytes[size - 1] != '\'') return;
  atomic_store(&stage, NOTHING);
  atomic_store(&words_size, 0);
  atomic_store(&speaker, self);
  spoken_at = now();
  spoken_from = (uintptr_t)__builtin_frame_address(0);
  keep(bytes, size);
  atomic_store(&stage, !whole ? OPENING : bytes[size - 1] == '\n' ? COMPLETE : SPEAKING);
}

static void go_on(const char *bytes, size_t size) {
  bool ends = bytes[size - 1] == '\n';
  if (atomic_load(&stage) == SPEAKING) {
    keep(bytes, size);
    if (ends && size == 1) atomic_store(&stage, COMPLETE);
    return;
  }
  keep(bytes, size);
  size_t kept = atomic_load(&words_size);
  if (is_panic(words, kept))
    atomic_store(&stage, SPEAKING);
  else if (ends || kept > OPENING_MAX)
    atomic_store(&stage, NOTHING);
}

// The quick way out is for all that is no panic.
static void listen(const char *bytes, size_t size) {
  if (size == 0) return;
  int current = atomic_load_explicit(&stage, memory_order_relaxed);
  static const char beginning[] = "\nthread '";
  size_t skipped = bytes[0] != '\n', length = sizeof beginning - 1 - skipped;
  bool begins = size >= length && memcmp(bytes, beginning + skipped, length) == 0;
  if (!begins && current != OPENING && current != SPEAKING) return;
  int self = (int)cgr_thread_id();
  if (!begins && atomic_load_explicit(&speaker, memory_order_relaxed) != self) return;
  if (atomic_exchange(&busy, true)) return;
  if (begins)
    begin(self, bytes, size);
  else
    go_on(bytes, size);
  atomic_store(&busy, false);
}

static void trim(const char **text, size_t *size) {
  if (*size > 0 && **text == '\n') {
    ++*text;
    --*size;
  }
  static const char advice[] = "\nnote: run with `RUST_BACKTRACE";
  *size = find(*text, *size, advice, sizeof advice - 1);
  while (*size > 0 && (*text)[*size - 1] == '\n') --*size;
}

bool cph_last_panic(cph_panic *panic) {
  int current = atomic_load(&stage);
  size_t size = atomic_load_explicit(&words_size, memory_order_acquire);
  bool known = current == SPEAKING || current == COMPLETE;
  if (!known || now() - spoken_at > KEPT_NS) return false;
  *panic = (cph_panic){words, size, atomic_load(&speaker), spoken_from, spoken_at};
  trim(&panic->text, &panic->size);
  return true;
}

bool cph_panic_goes_on(const cph_panic *panic, int thread, uintptr_t stack_pointer) {
  return panic->thread == thread && stack_pointer < panic->stack_pointer + PRINTING_BYTES;
}

#define EXPORT __attribute__((visibility("default")))

// What the real functions answer, for the constructors of libraries that come before ours.
static ssize_t answer(long result) {
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

EXPORT ssize_t write(int fd, const void *bytes, size_t size) {
  ssize_t done = cph_real_write ? cph_real_write(fd, bytes, size) : answer(cgr_syscall3(SYS_write, fd, bytes, size));
  if (__builtin_expect(fd == STDERR_FILENO && done > 0, 0)) listen(bytes, (size_t)done);
  return done;
}

EXPORT ssize_t writev(int fd, const struct iovec *pieces, int count) {
  ssize_t done =
      cph_real_writev ? cph_real_writev(fd, pieces, count) : answer(cgr_syscall3(SYS_writev, fd, pieces, count));
  if (__builtin_expect(fd != STDERR_FILENO, 1)) return done;
  size_t left = done > 0 ? (size_t)done : 0;
  for (int i = 0; i < count && left > 0; ++i) {
    size_t size = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    listen(pieces[i].iov_base, size);
    left -= size;
  }
  return done;
}
