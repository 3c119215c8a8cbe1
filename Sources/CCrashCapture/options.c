// CRASHKIT_OPTIONS. Ordinary libc.

#include "options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "environment.h"

static int truth(const char *value) {
  static const char *const yes[] = {"yes", "true", "on", "1", "y", "t"};
  static const char *const no[] = {"no", "false", "off", "0", "n", "f"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; ++i) {
    if (strcasecmp(value, yes[i]) == 0) return 1;
    if (strcasecmp(value, no[i]) == 0) return 0;
  }
  return -1;
}

static bool set_flag(bool *flag, const char *value) {
  int wanted = truth(value);
  if (wanted >= 0) *flag = wanted;
  return wanted >= 0;
}

static bool set_output(ck_settings *settings, const char *value) {
  settings->numbered_output = strcmp(value, "stderr") == 0;
  return settings->numbered_output || strcmp(value, "file") == 0;
}

static bool set_chain(ck_settings *settings, const char *value) {
  if (strcmp(value, "auto") == 0)
    settings->chain = CK_CHAIN_AUTO;
  else if (truth(value) >= 0)
    settings->chain = truth(value) ? CK_CHAIN_YES : CK_CHAIN_NO;
  else
    return false;
  return true;
}

static bool apply(ck_settings *settings, const char *key, const char *value) {
  if (strcmp(key, "enable") == 0) return set_flag(&settings->enabled, value);
  if (strcmp(key, "summary") == 0) return set_flag(&settings->summary, value);
  if (strcmp(key, "registers") == 0) return set_flag(&settings->registers, value);
  if (strcmp(key, "arguments") == 0) return set_flag(&settings->arguments, value);
  if (strcmp(key, "environment") == 0) return set_flag(&settings->environment, value);
  if (strcmp(key, "output") == 0) return set_output(settings, value);
  if (strcmp(key, "chain") == 0) return set_chain(settings, value);
  return false;
}

// "by name": the variable switches the runtime's backtracer on, rather than leaving it to its default.
static bool runtime_backtrace_wanted(void) {
  const char *value = ck_environment("SWIFT_BACKTRACE");
  const char *enable = value ? strstr(value, "enable=") : NULL;
  if (!enable) return false;
  char word[8] = {0};
  for (size_t i = 0; i + 1 < sizeof word && enable[7 + i] && enable[7 + i] != ','; ++i) word[i] = enable[7 + i];
  return truth(word) == 1 || (strcasecmp(word, "tty") == 0);
}

void ck_options_read(ck_settings *settings, char *warning, size_t capacity) {
  *settings = (ck_settings){.enabled = true, .summary = true, .registers = true, .chain = CK_CHAIN_AUTO};
  warning[0] = 0;
  settings->runtime_backtrace_wanted = runtime_backtrace_wanted();
  const char *at = ck_environment("CRASHKIT_OPTIONS");
  while (at && *at) {
    size_t size = strcspn(at, ",");
    char pair[128];
    snprintf(pair, sizeof pair, "%.*s", (int)size, at);
    at += size + (at[size] == ',');
    if (!pair[0]) continue;
    char *value = strchr(pair, '=');
    if (value) *value++ = 0;
    if (!value || !apply(settings, pair, value)) {
      snprintf(
          warning, capacity,
          "CRASHKIT_OPTIONS: not understood: %s%s%s (there are enable, summary, registers, arguments, environment: yes or "
          "no; output: file or stderr; chain: auto, yes or no)",
          pair, value ? "=" : "", value ? value : "");
    }
  }
}
