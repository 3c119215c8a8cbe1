// Mistakes that glibc detects and stops, and mistakes that it cannot detect.
#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

// A failing assert must fail in release builds too.
#undef NDEBUG
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TRIGGER void crash_abort(void) { abort(); }

// The message that glibc's own checks leave for readers of the core: a size and a text.
struct abort_message {
  unsigned size;
  char text[64];
};

TRIGGER void crash_abort_with_msg(void) {
  static struct abort_message message = {sizeof message, "the catalogue asked for this"};
  struct abort_message **kept = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
  if (kept) *kept = &message;
  abort();  // With a message.
}

TRIGGER void crash_assert(void) {
  volatile int answer = 41;
  assert(answer == 42);
}

TRIGGER void crash_double_free(void) {
  void *volatile block = malloc(32);
  free(block);
  free(block);  // The second time.
}

TRIGGER void crash_free_invalid(void) {
  // Zeroed, for what free() makes of the pointer depends on what lies before it.
  char *volatile block = calloc(1, 64);
  free(block + 8);
}

TRIGGER void crash_heap_corruption(void) {
  // A block that comes from the end of the heap: what lies behind it is the size of all that is left.
  size_t size = 100 * 1024;
  char *volatile block = malloc(size);
  memset(block + malloc_usable_size(block), 0xff, sizeof(size_t));
  block = malloc(size);  // Here malloc looks.
}

// The compiler knows nothing of the text. It is longer than where it is copied to by no more than a guard.
static char *volatile long_text = "a bit longer";

TRIGGER void crash_smash_stack(void) {
  char block[8];
  char *volatile target = block;
  strcpy(target, long_text);
}  // Here the guard is compared.

TRIGGER void crash_fortify(void) {
  char block[8];
  __builtin___strcpy_chk(block, long_text, sizeof block);
}

static void *volatile null = NULL;

TRIGGER void crash_strlen_null(void) {
  volatile size_t length = strlen(null);
  (void)length;
}

TRIGGER void crash_readdir_null(void) { readdir(null); }
TRIGGER void crash_fprintf_null(void) { fprintf(null, "%p", null); }
// glibc looks for a null pointer here, and for nothing else.
TRIGGER void crash_pthread_join_null(void) { pthread_join((pthread_t)null + 8, NULL); }
