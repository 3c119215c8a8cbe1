// THREADGUARD_OPTIONS. No libc but getenv, getauxval and functions of strings and numbers.

#include "findings/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "CGround/environment.h"
#include "ground/guard_lines.h"
#include "CGround/text.h"

struct ctg_options ctg_options = {
    .modes = {CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT, CTG_MODE_REPORT,
              CTG_MODE_REPORT},
    .limit = 100,
    .summary = true,
    .own_steps = true,
};

/// So many mistakes have a line each.
#define MISTAKES_NAMED 16

static bool general;  // the mode of all other kinds is set

// What the variable has set, the program leaves alone.
static struct { bool modes[CTG_KIND_COUNT], limit, exit_status; } fixed;

// --- Values ----------------------------------------------------------------------------------------------------

static bool read_truth(const char *value, unsigned unused, void *truth) {
  (void)unused;
  return cgr_read_truth(value, truth);
}

static bool read_number(const char *value, unsigned highest, void *number) {
  const char *at = value, *end = value + strlen(value);
  if (at == end || end - at > 9) return false;
  uint64_t read = cgr_parse_number(&at, end, 10);
  if (at != end || read > highest) return false;
  *(unsigned *)number = (unsigned)read;
  return true;
}

static bool read_shared_number(const char *value, unsigned highest, void *number) {
  unsigned read;
  if (!read_number(value, highest, &read)) return false;
  atomic_store((_Atomic unsigned *)number, read);
  return true;
}

static bool read_path(const char *value, unsigned capacity, void *path) {
  size_t size = strlen(value);
  if (size == 0 || size >= capacity) return false;
  memcpy(path, value, size + 1);
  return true;
}

// A seed, or no.
static bool read_noise(const char *value, unsigned unused, void *noise) {
  (void)unused;
  bool is_number = *value && strspn(value, "0123456789") == strlen(value) && strlen(value) <= 20, on = true;
  if (!is_number && (!cgr_read_truth(value, &on) || on)) return false;
  errno = 0;
  uint64_t seed = is_number ? strtoull(value, NULL, 10) : 0;
  if (errno == ERANGE) return false;
  *(struct ctg_noise_option *)noise = (struct ctg_noise_option){.is_set = true, .on = is_number, .seed = seed};
  return true;
}

static bool read_mode(const char *value, unsigned unused, void *mode) {
  static const char *const names[] = {"log", "collect", "report", "abort"};
  (void)unused;
  for (int i = 0; i < 4; ++i) {
    if (strcmp(value, names[i]) != 0) continue;
    atomic_store((_Atomic int *)mode, i);
    return true;
  }
  return false;
}

// --- Keys ------------------------------------------------------------------------------------------------------

#define MILLISECONDS_MAX 999999999u

// Each key, how its value is read, and what it sets. Kinds of violations are keys too, whose values are modes.
static const struct key {
  const char *name;
  bool (*read)(const char *value, unsigned highest, void *place);
  unsigned highest;
  void *place;
  bool *is_fixed;
} keys[] = {
    {"limit", read_shared_number, 1000000, &ctg_options.limit, &fixed.limit},
    {"exit-status", read_shared_number, 255, &ctg_options.exit_status, &fixed.exit_status},
    {"summary", read_truth, 0, &ctg_options.summary, NULL},
    {"suppressions", read_path, sizeof ctg_options.suppressions, ctg_options.suppressions, NULL},
    {"semaphores", read_truth, 0, &ctg_options.semaphores, NULL},
    {"groups", read_truth, 0, &ctg_options.groups, NULL},
    {"freed", read_truth, 0, &ctg_options.freed, NULL},
    {"quick-locks", read_truth, 0, &ctg_options.own_steps, NULL},
    {"wait-limit", read_number, MILLISECONDS_MAX, &ctg_options.wait_limit, NULL},
    {"hold-limit", read_number, MILLISECONDS_MAX, &ctg_options.hold_limit, NULL},
    {"perturb", read_noise, 0, &ctg_options.perturb, NULL},
};

static bool apply(const char *name, const char *value) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const struct key *key = &keys[i];
    if (strcmp(name, key->name) != 0) continue;
    bool is_read = key->read(value, key->highest, key->place);
    if (is_read && key->is_fixed) *key->is_fixed = true;
    return is_read;
  }
  int kind = ctg_kind_named(name);
  return kind >= 0 && read_mode(value, 0, &ctg_options.modes[kind]) && (fixed.modes[kind] = true);
}

// The general mode yields to those of single kinds, whatever their order.
static bool set_modes(const char *value) {
  _Atomic int mode;
  if (!read_mode(value, 0, &mode)) return false;
  for (int kind = 0; kind < CTG_KIND_COUNT; ++kind)
    if (!fixed.modes[kind]) ctg_options.modes[kind] = mode;
  return general = true;
}

static unsigned mistakes;

// A line each, but no more lines than a reader can use.
static void say_not_understood(const char *pair) {
  if (++mistakes > MISTAKES_NAMED) return;
  char line[PATH_MAX + 64];
  cgr_text text = CGR_TEXT(line);
  ctg_line_head(&text);
  cgr_text_string(&text, "THREADGUARD_OPTIONS: not understood: ");
  cgr_text_string(&text, pair);
  ctg_line_end(&text);
}

static void say_how_many_more(void) {
  if (mistakes <= MISTAKES_NAMED) return;
  char line[96];
  cgr_text text = CGR_TEXT(line);
  ctg_line_head(&text);
  cgr_text_string(&text, "THREADGUARD_OPTIONS: not understood: ");
  cgr_text_unsigned(&text, mistakes - MISTAKES_NAMED);
  cgr_text_string(&text, " more");
  ctg_line_end(&text);
}

// What there is instead.
static void say_what_there_is(void) {
  if (mistakes == 0) return;
  char line[640];
  cgr_text text = CGR_TEXT(line);
  ctg_line_head(&text);
  cgr_text_string(&text, "THREADGUARD_OPTIONS: there are ");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    cgr_text_string(&text, keys[i].name);
    cgr_text_string(&text, ", ");
  }
  cgr_text_string(&text, "mode");
  for (int kind = 0; kind < CTG_KIND_COUNT; ++kind) {
    cgr_text_string(&text, ", ");
    cgr_text_string(&text, ctg_kind_name((enum ctg_kind)kind));
  }
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
  say_what_there_is();
  if (general) memset(fixed.modes, 1, sizeof fixed.modes);
}

// --- What the program sets -------------------------------------------------------------------------------------

enum ctg_violation_mode ctg_mode_of(enum ctg_kind kind) { return (enum ctg_violation_mode)ctg_options.modes[kind]; }

void ctg_set_mode(enum ctg_kind kind, enum ctg_violation_mode mode) {
  if (!fixed.modes[kind]) ctg_options.modes[kind] = (int)mode;
}

void ctg_set_report_limit(unsigned limit) {
  if (!fixed.limit) ctg_options.limit = limit;
}

void ctg_set_exit_status(int status) {
  if (!fixed.exit_status && status >= 0 && status <= 255) ctg_options.exit_status = (unsigned)status;
}
