// Options of locks. Plain memory only.

#include "lock_options.h"

#include <stdlib.h>
#include <string.h>

#include "perturb_points.h"

struct ctg_lock_options ctg_lock_options;

bool ctg_lock_option(const char *key, const char *value) {
  if (strcmp(key, "semaphores") == 0) {
    ctg_lock_options.semaphores = strcmp(value, "yes") == 0;
    return ctg_lock_options.semaphores || strcmp(value, "no") == 0;
  }
  if (strcmp(key, "perturb") == 0) return ctg_perturb_option(value);
  unsigned *limit = strcmp(key, "wait-limit") == 0   ? &ctg_lock_options.wait_limit
                    : strcmp(key, "hold-limit") == 0 ? &ctg_lock_options.hold_limit
                                                     : NULL;
  if (!limit || !*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 9) return false;
  *limit = (unsigned)strtoul(value, NULL, 10);
  return true;
}
