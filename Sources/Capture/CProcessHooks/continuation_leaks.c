// The runtime's line (swift, stdlib/public/Concurrency/CheckedContinuation.swift) begins and ends with constant words.
// Plain memory.

#include "continuation_leaks.h"

#include <errno.h>
#include <string.h>

static void (*_Atomic observer)(const char *function, size_t size, const void *caller);

void cph_observe_continuation_leaks(void (*leaked)(const char *function, size_t size, const void *caller)) {
  observer = leaked;
}

void cph_continuation_leaks_read(const char *text, size_t length, const void *caller) {
  static const char before[] = "SWIFT TASK CONTINUATION MISUSE: ", after[] = " leaked its continuation";
  size_t start = sizeof before - 1;
  if (length <= start || memcmp(text, before, start) != 0) return;
  const char *end = memmem(text + start, length - start, after, sizeof after - 1);
  void (*leaked)(const char *, size_t, const void *) = observer;
  if (!end || !leaked) return;
  int error = errno;
  leaked(text + start, (size_t)(end - text) - start, caller);
  errno = error;
}
