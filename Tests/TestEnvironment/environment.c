// The tests may themselves be run by `crashsym run --follow`, and are watched then. The programs that they start must
// be as the tests start them: many die on purpose, and what they say, their reports and their threads are counted.

#include "TestEnvironment.h"

#include <stdlib.h>
#include <string.h>

static int is_ours(const char *library, size_t length) {
  static const char *const names[] = {"libCrashKitPreload.so", "libCrashKitGuardPreload.so",
                                      "libThreadGuardPreload.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    size_t size = strlen(names[i]);
    if (length >= size && strncmp(library + length - size, names[i], size) == 0) return 1;
  }
  return 0;
}

// Takes our libraries out of a list as LD_PRELOAD has it.
static void take_out(char *list) {
  char *end = list;
  for (const char *next = list; *next;) {
    size_t length = strcspn(next, ": ");
    size_t size = length + (next[length] != 0);
    if (!is_ours(next, length)) {
      memmove(end, next, size);
      end += size;
    }
    next += size;
  }
  *end = 0;
}

__attribute__((constructor)) static void start_programs_unwatched(void) {
  unsetenv("CRASHKIT_RUN");
  unsetenv("CRASHKIT_TOOLCHAIN");
  const char *given = getenv("LD_PRELOAD");
  char *list = given ? strdup(given) : NULL;
  if (!list) return;
  take_out(list);
  if (*list)
    setenv("LD_PRELOAD", list, 1);
  else
    unsetenv("LD_PRELOAD");
  free(list);
}
