// What Rust's runtime prints as a thread panics, printed as its versions do.

#include <pthread.h>
#include <sys/uio.h>

#include "probe.h"

static void print(const char *text) { CHECK(write(2, text, strlen(text)) == (ssize_t)strlen(text)); }

static void print_all(const char *const *pieces) {
  for (; *pieces; ++pieces) print(*pieces);
}

static const char *const in_pieces[] = {
    "\nthread '", "main", "' (",        "17", ") panicked at ",           "src/main.rs", ":", "8", ":", "21",
    ":\n",        "no ",  "such order", "\n", "and this is none of it\n", NULL};
static const char *const in_old_pieces[] = {
    "thread '",
    "main",
    "' panicked at '",
    "no such order",
    "', ",
    "src/main.rs",
    ":",
    "8",
    ":",
    "21",
    "\n",
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    NULL};
static const char whole[] =
    "\nthread 'main' (17) panicked at src/main.rs:8:21:\nno such order\n"
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";

static int panic_in_pieces(void) {
  install_crashkit();
  print_all(in_pieces);
  abort();
}

static int panic_in_old_pieces(void) {
  install_crashkit();
  print_all(in_old_pieces);
  abort();
}

static int panic_whole(void) {
  install_crashkit();
  print("starting\n");
  print(whole);
  print("and this is none of it\n");
  abort();
}

static int panic_gathered(void) {
  install_crashkit();
  struct iovec pieces[16];
  int count = 0;
  for (; in_pieces[count]; ++count) pieces[count] = (struct iovec){(void *)in_pieces[count], strlen(in_pieces[count])};
  CHECK(writev(2, pieces, count) > 0);
  abort();
}

static void *print_whole(void *argument) {
  print(whole);
  return argument;
}

static int panic_on_a_thread(void) {
  install_crashkit();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, print_whole, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  abort();
}

// As catch_unwind in a caller does: the function that panicked is gone.
__attribute__((noinline)) static void panic_far_in(void) {
  char frame[8192];
  __asm__ volatile("" : : "r"(frame) : "memory");
  print(whole);
  __asm__ volatile("" : : "r"(frame) : "memory");
}

static int panic_caught(void) {
  install_crashkit();
  panic_far_in();
  abort();
}

// A long message of characters that JSON escapes, that terminals obey, and that are no UTF-8; far from the entry.
__attribute__((noinline)) static int panic_oddly(int depth) {
  volatile char here = (char)depth;
  if (depth > 0) return panic_oddly(depth - 1) + here;
  static char words[3000];
  memcpy(words, whole, sizeof whole);
  char *message = strstr(words, "no such order");
  static const char odd[] = "\"\\\x1b[2J\xff\xc3\xa9";
  for (size_t i = 0; i < 2500; ++i) message[i] = odd[i % (sizeof odd - 1)];
  memcpy(message + 2500, "\n", sizeof "\n");
  print(words);
  abort();
}

static int panic_odd(void) {
  pthread_setname_np(pthread_self(), "a\"\\\n\x01\xff\xfe)é");
  install_crashkit();
  return panic_oddly(100);
}

static int panic_then_fault(void) {
  install_crashkit();
  print(whole);
  store((char *)8);
  return 7;
}

static int panic_on_standard_output(void) {
  install_crashkit();
  CHECK(write(1, whole, sizeof whole - 1) > 0);
  abort();
}

static int words_without_panic(void) {
  static const char *const words[] = {
      "thread 'a' holds the password x\n", "thread '", "b", "' holds another\n", "secret\n", NULL};
  install_crashkit();
  print_all(words);
  abort();
}

const probe panic_probes[] = {
    {"panic-in-pieces", panic_in_pieces},
    {"panic-in-old-pieces", panic_in_old_pieces},
    {"panic-whole", panic_whole},
    {"panic-gathered", panic_gathered},
    {"panic-on-a-thread", panic_on_a_thread},
    {"panic-caught", panic_caught},
    {"panic-odd", panic_odd},
    {"panic-then-fault", panic_then_fault},
    {"panic-on-standard-output", panic_on_standard_output},
    {"no-panic", words_without_panic},
    {NULL, NULL},
};
