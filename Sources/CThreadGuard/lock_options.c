// Options of locks. Plain memory only.

#include "lock_options.h"

#include <stdlib.h>
#include <string.h>

struct ctg_lock_options ctg_lock_options;

bool ctg_lock_option(const char *key, const char *value) {
  if (strcmp(key, "semaphores") == 0) {
    ctg_lock_options.semaphores = strcmp(value, "yes") == 0;
    return ctg_lock_options.semaphores || strcmp(value, "no") == 0;
  }
  if (strcmp(key, "wait-limit") != 0 || !*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 9)
    return false;
  ctg_lock_options.wait_limit = (unsigned)strtoul(value, NULL, 10);
  return true;
}
