// A library that reads its environment as it begins, as Swift's does.

#include <stdlib.h>
#include <unistd.h>

extern char **environ;

__attribute__((constructor)) static void begin(void) {
  if (!environ || !environ[0]) _exit(87);
}

void early_library(void) {}
