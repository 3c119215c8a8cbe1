// Environment variables. Ordinary libc.

#include "CGround/environment.h"

#include <stdlib.h>
#include <strings.h>
#include <sys/auxv.h>

const char *cgr_environment(const char *name) {
  if (getauxval(AT_SECURE)) return NULL;
  const char *value = getenv(name);
  return value && value[0] ? value : NULL;
}

bool cgr_read_truth(const char *word, bool *truth) {
  static const char *const yes[] = {"yes", "true", "on", "1", "y", "t"};
  static const char *const no[] = {"no", "false", "off", "0", "n", "f"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; ++i) {
    bool is_yes = strcasecmp(word, yes[i]) == 0;
    if (!is_yes && strcasecmp(word, no[i]) != 0) continue;
    *truth = is_yes;
    return true;
  }
  return false;
}
