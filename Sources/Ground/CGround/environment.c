// Environment variables. Ordinary libc.

#include "CGround/environment.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

const char *cgr_environment(const char *name) {
  if (getauxval(AT_SECURE)) return NULL;
  const char *value = getenv(name);
  return value && value[0] ? value : NULL;
}

bool cgr_option(const char *variable, const char *key, char *value, size_t capacity) {
  size_t key_size = strlen(key);
  bool found = false;
  for (const char *at = cgr_environment(variable); at && *at;) {
    size_t size = strcspn(at, ",");
    bool is_it = size > key_size && strncmp(at, key, key_size) == 0 && at[key_size] == '=';
    size_t length = is_it ? size - key_size - 1 : capacity;
    if (length < capacity) {
      memcpy(value, at + key_size + 1, length);
      value[length] = 0;
      found = true;
    }
    at += size + (at[size] == ',');
  }
  return found;
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

#define SHARE_DEFAULT 5000u
#define SHARE_MAX 1000000000u

bool cgr_read_share(const char *word, uint32_t *one_in) {
  size_t digits = strspn(word, "0123456789");
  if (digits > 0 && word[digits] == 0) {
    uint64_t number = strtoull(word, NULL, 10);
    if (number > SHARE_MAX) return false;
    *one_in = (uint32_t)number;
    return true;
  }
  bool wanted;
  if (!cgr_read_truth(word, &wanted)) return false;
  *one_in = wanted ? SHARE_DEFAULT : 0;
  return true;
}
