// Keeps the arguments of this process. Swift's own CommandLine reads /proc/self/cmdline, and is empty without it.

#include "program_start.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **arguments = none;

// glibc passes constructors the arguments of main.
__attribute__((constructor)) static void keep(int count, char **values) {
  (void)count;
  arguments = values;
}

char *const *program_start_arguments(void) { return arguments; }
