// THREADGUARD_OPTIONS. No libc but getenv, getauxval and functions of strings.

#include "options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "environment.h"
#include "guard_lines.h"
#include "text.h"

struct ctg_options ctg_options = {
    .modes = {CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT,
              CTG_MODE_REPORT},
    .limit = 100,
    .summary = true,
};

/// So many mistakes have a line each.
#define MISTAKES_NAMED 16

static char suppressions[PATH_MAX];

static bool general;  // the mode of all other kinds is set

// What the variable has set, the program leaves alone.
static struct {
  bool modes[CTG_KIND_COUNT], limit, exit_status;
} fixed;

// --- Values ----------------------------------------------------------------------------------------------------

static bool read_mode(const char *value, int *mode) {
  static const char *const names[] = {"log", "collect", "report", "abort"};
  for (int i = 0; i < 4; ++i)
    if (strcmp(value, names[i]) == 0) {
      *mode = i;
      return true;
    }
  return false;
}

static bool read_number(const char *value, unsigned highest, unsigned *number) {
  const char *at = value, *end = value + strlen(value);
  if (at == end || end - at > 9) return false;
  uint64_t read = ck_parse_number(&at, end, 10);
  if (at != end || read > highest) return false;
  *number = (unsigned)read;
  return true;
}

// --- Keys ------------------------------------------------------------------------------------------------------

static bool set_mode_of(int kind, const char *value) {
  int mode;
  if (!read_mode(value, &mode)) return false;
  ctg_options.modes[kind] = mode;
  return fixed.modes[kind] = true;
}

// The general one yields to those of single kinds, whatever their order.
static bool set_modes(const char *value) {
  int mode;
  if (!read_mode(value, &mode)) return false;
  for (int kind = 0; kind < CTG_KIND_COUNT; ++kind)
    if (!fixed.modes[kind]) ctg_options.modes[kind] = mode;
  return general = true;
}

static bool set_limit(const char *value) {
  unsigned limit;
  if (!read_number(value, 1000000, &limit)) return false;
  ctg_options.limit = limit;
  return fixed.limit = true;
}

static bool set_exit_status(const char *value) {
  unsigned status;
  if (!read_number(value, 255, &status)) return false;
  ctg_options.exit_status = (int)status;
  return fixed.exit_status = true;
}

static bool set_summary(const char *value) {
  bool wanted;
  if (!ck_read_truth(value, &wanted)) return false;
  ctg_options.summary = wanted;
  return true;
}

static bool set_suppressions(const char *value) {
  size_t size = strlen(value);
  if (size == 0 || size >= sizeof suppressions) return false;
  memcpy(suppressions, value, size + 1);
  return true;
}

static const struct key {
  const char *name;
  bool (*set)(const char *value);
} keys[] = {
    {"limit", set_limit},
    {"exit-status", set_exit_status},
    {"summary", set_summary},
    {"suppressions", set_suppressions},
};

// Options of locks, where checking them is part of the program. Not declared hidden, for gold gives a hidden weak symbol
// that is not there an address all the same.
extern bool ctg_lock_option(const char *key, const char *value) __attribute__((weak));

static bool apply(const char *key, const char *value) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    if (strcmp(key, keys[i].name) == 0) return keys[i].set(value);
  int kind = ctg_kind_named(key);
  if (kind >= 0) return set_mode_of(kind, value);
  return ctg_lock_option && ctg_lock_option(key, value);
}

static unsigned mistakes;

// A line each, but no more lines than a reader can use.
static void say_not_understood(const char *pair) {
  if (++mistakes > MISTAKES_NAMED) return;
  char line[PATH_MAX + 64];
  ck_text text = CK_TEXT(line);
  ctg_line_head(&text);
  ck_text_string(&text, "THREADGUARD_OPTIONS: not understood: ");
  ck_text_string(&text, pair);
  ctg_line_end(&text);
}

static void say_how_many_more(void) {
  if (mistakes <= MISTAKES_NAMED) return;
  char line[96];
  ck_text text = CK_TEXT(line);
  ctg_line_head(&text);
  ck_text_string(&text, "THREADGUARD_OPTIONS: not understood: ");
  ck_text_unsigned(&text, mistakes - MISTAKES_NAMED);
  ck_text_string(&text, " more");
  ctg_line_end(&text);
}

// Calls `use` with each pair, cut at its "=".
static void each_pair(const char *all, void (*use)(char *key, char *value, const char *pair)) {
  for (const char *at = all; *at;) {
    size_t size = strcspn(at, ",");
    char pair[PATH_MAX], whole[PATH_MAX];
    size_t kept = size < sizeof pair ? size : sizeof pair - 1;
    memcpy(pair, at, kept);
    pair[kept] = 0;
    memcpy(whole, pair, kept + 1);
    at += size + (at[size] == ',');
    if (!pair[0]) continue;
    char *value = strchr(pair, '=');
    if (value) *value++ = 0;
    use(pair, value, whole);
  }
}

static void use_single(char *key, char *value, const char *pair) {
  if (value && strcmp(key, "mode") == 0) return;
  if (!value || !apply(key, value)) say_not_understood(pair);
}

static void use_general(char *key, char *value, const char *pair) {
  if (value && strcmp(key, "mode") == 0 && !set_modes(value)) say_not_understood(pair);
}

void ctg_options_prepare(void) {
  const char *all = getauxval(AT_SECURE) ? NULL : getenv("THREADGUARD_OPTIONS");
  if (!all) return;
  each_pair(all, use_single);
  each_pair(all, use_general);
  say_how_many_more();
  if (general) memset(fixed.modes, 1, sizeof fixed.modes);
}

const char *ctg_options_suppressions(void) { return suppressions[0] ? suppressions : NULL; }

// --- What the program sets -------------------------------------------------------------------------------------

enum ctg_violation_mode ctg_mode_of(enum ctg_kind kind) { return (enum ctg_violation_mode)ctg_options.modes[kind]; }

void ctg_set_mode(enum ctg_kind kind, enum ctg_violation_mode mode) {
  if (!fixed.modes[kind]) ctg_options.modes[kind] = (int)mode;
}

void ctg_set_report_limit(unsigned limit) {
  if (!fixed.limit) ctg_options.limit = limit;
}

void ctg_set_exit_status(int status) {
  if (!fixed.exit_status && status >= 0 && status <= 255) ctg_options.exit_status = status;
}
