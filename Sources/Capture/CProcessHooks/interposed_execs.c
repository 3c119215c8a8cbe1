// Interposed exec and spawn: another program inherits the signal mask that this one has set, not the one in which the
// signals of faults are left open, and the signals that this one ignores.

#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "process_masks.h"
#include "process_signals.h"
#include "real_functions.h"

#define EXPORT __attribute__((visibility("default")))

// The call as it is, with the program's mask and what it ignores in the kernel while it lasts.
#define AS_THE_PROGRAM(call)                                   \
  do {                                                         \
    cph_real_functions_find();                                 \
    bool ignores = cph_signals_ignore_in_earnest();            \
    cph_mask_in_earnest before = cph_masks_block_in_earnest(); \
    __auto_type result = (call);                               \
    int error = errno;                                         \
    cph_masks_open_again(before);                              \
    cph_signals_own_ignored_again(ignores);                    \
    errno = error;                                             \
    return result;                                             \
  } while (0)

static int become(const char *path, char *const arguments[], char *const environment[]) {
  AS_THE_PROGRAM(cph_real_execve(path, arguments, environment));
}
static int become_found(const char *file, char *const arguments[], char *const environment[]) {
  AS_THE_PROGRAM(cph_real_execvpe(file, arguments, environment));
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[]) {
  return become(path, arguments, environment);
}
EXPORT int execv(const char *path, char *const arguments[]) { return become(path, arguments, environ); }
EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[]) {
  return become_found(file, arguments, environment);
}
EXPORT int execvp(const char *file, char *const arguments[]) { return become_found(file, arguments, environ); }
EXPORT int fexecve(int file, char *const arguments[], char *const environment[]) {
  AS_THE_PROGRAM(cph_real_fexecve(file, arguments, environment));
}
EXPORT int execveat(int folder, const char *path, char *const arguments[], char *const environment[], int flags) {
  AS_THE_PROGRAM(cph_real_execveat(folder, path, arguments, environment, flags));
}
EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *restrict attributes, char *const arguments[],
                       char *const environment[]) {
  AS_THE_PROGRAM(cph_real_posix_spawn(pid, path, actions, attributes, arguments, environment));
}
EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *restrict attributes, char *const arguments[],
                        char *const environment[]) {
  AS_THE_PROGRAM(cph_real_posix_spawnp(pid, file, actions, attributes, arguments, environment));
}
EXPORT int system(const char *command) { AS_THE_PROGRAM(cph_real_system(command)); }
EXPORT FILE *popen(const char *command, const char *mode) { AS_THE_PROGRAM(cph_real_popen(command, mode)); }

// The list that ends with NULL, as an array on the caller's stack.
#define COLLECT(first, arguments, list)                       \
  size_t count = 1;                                           \
  va_list counting;                                           \
  va_copy(counting, list);                                    \
  if (first)                                                  \
    while (va_arg(counting, char *)) ++count;                 \
  va_end(counting);                                           \
  char **arguments = alloca((count + 1) * sizeof *arguments); \
  arguments[0] = (char *)(uintptr_t)(first);                  \
  for (size_t i = 1; (first) && i <= count; ++i) arguments[i] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *first, ...) {
  va_list list;
  va_start(list, first);
  COLLECT(first, arguments, list);
  va_end(list);
  return become(path, arguments, environ);
}
EXPORT int execlp(const char *file, const char *first, ...) {
  va_list list;
  va_start(list, first);
  COLLECT(first, arguments, list);
  va_end(list);
  return become_found(file, arguments, environ);
}
EXPORT int execle(const char *path, const char *first, ...) {
  va_list list;
  va_start(list, first);
  COLLECT(first, arguments, list);
  char *const *environment = va_arg(list, char *const *);
  va_end(list);
  return become(path, arguments, environment);
}
