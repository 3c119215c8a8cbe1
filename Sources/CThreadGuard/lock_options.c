// Options of locks. Plain memory only.

#include "lock_options.h"

#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "perturb_points.h"

struct ctg_lock_options ctg_lock_options = {.own_steps = true};

static const struct truth {
  const char *key;
  bool *value;
} truths[] = {
    {"semaphores", &ctg_lock_options.semaphores},
    {"groups", &ctg_lock_options.groups},
    {"freed", &ctg_lock_options.freed},
    {"quick-locks", &ctg_lock_options.own_steps},
};

static const struct limit {
  const char *key;
  unsigned *milliseconds;
} limits[] = {
    {"wait-limit", &ctg_lock_options.wait_limit},
    {"hold-limit", &ctg_lock_options.hold_limit},
};

static bool read_limit(const char *value, unsigned *milliseconds) {
  if (!*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 9) return false;
  *milliseconds = (unsigned)strtoul(value, NULL, 10);
  return true;
}

bool ctg_lock_option(const char *key, const char *value) {
  if (strcmp(key, "perturb") == 0) return ctg_perturb_option(value);
  for (size_t i = 0; i < sizeof truths / sizeof *truths; ++i)
    if (strcmp(key, truths[i].key) == 0) return ck_read_truth(value, truths[i].value);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (strcmp(key, limits[i].key) == 0) return read_limit(value, limits[i].milliseconds);
  return false;
}
