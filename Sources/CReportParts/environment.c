// Environment variables. Ordinary libc.

#include "environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

const char *ck_environment(const char *name) {
  if (getauxval(AT_SECURE)) return NULL;
  const char *value = getenv(name);
  return value && value[0] ? value : NULL;
}
