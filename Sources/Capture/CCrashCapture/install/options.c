// CRASHKIT_OPTIONS. Ordinary libc.

#include "install/options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CGround/environment.h"
#include "CReportParts/harmless.h"
#include "CReportTerms.h"
#include "CGround/text.h"
#include "CGround/utf8.h"

/// So many mistakes are named, each by so many bytes at most.
#define MISTAKES_NAMED 8
#define MISTAKE_BYTES 64
/// Behind the real-time signals that libc keeps for itself.
#define FIRST_FREE_SIGNAL 34

static bool set_output(ck_settings *settings, const char *value) {
  bool numbered = strcmp(value, "stderr") == 0, json_line = strcmp(value, "json-line") == 0;
  if (!numbered && !json_line && strcmp(value, "file") != 0) return false;
  settings->numbered_output = numbered;
  settings->json_line = json_line;
  return true;
}

static bool set_chain(ck_settings *settings, const char *value) {
  bool wanted;
  if (strcmp(value, "auto") == 0)
    settings->chain = CK_CHAIN_AUTO;
  else if (cgr_read_truth(value, &wanted))
    settings->chain = wanted ? CK_CHAIN_YES : CK_CHAIN_NO;
  else
    return false;
  return true;
}

// Signals that end programs in daily use are not among them (INT, TERM), nor those that CrashKit, libc or the kernel
// use themselves.
static bool may_print(int signal) {
  bool is_named = signal == SIGQUIT || signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGHUP;
  return is_named || (signal >= FIRST_FREE_SIGNAL && signal < NSIG);
}

static int signal_of(const char *value) {
  for (int signal = 1; signal < NSIG; ++signal) {
    const char *name = term_signal_name(signal);
    if (strcmp(value, name) == 0 || strcmp(value, name + strlen("SIG")) == 0) return signal;
  }
  bool is_number = value[0] != 0 && strspn(value, "0123456789") == strlen(value) && strlen(value) < 3;
  return is_number ? atoi(value) : 0;
}

static bool set_on_signal(ck_settings *settings, const char *value) {
  int signal = signal_of(value);
  if (!may_print(signal)) return false;
  settings->on_signal = signal;
  return true;
}

static bool apply(ck_settings *settings, const char *key, const char *value) {
  if (strcmp(key, "enable") == 0) return cgr_read_truth(value, &settings->enabled);
  if (strcmp(key, "summary") == 0) return cgr_read_truth(value, &settings->summary);
  if (strcmp(key, "journal") == 0) return cgr_read_truth(value, &settings->journal);
  if (strcmp(key, "registers") == 0) return cgr_read_truth(value, &settings->registers);
  if (strcmp(key, "tasks") == 0) return cgr_read_truth(value, &settings->tasks);
  if (strcmp(key, "thrown") == 0) return cgr_read_truth(value, &settings->thrown);
  if (strcmp(key, "arguments") == 0) return cgr_read_truth(value, &settings->arguments);
  if (strcmp(key, "environment") == 0) return cgr_read_truth(value, &settings->environment);
  if (strcmp(key, "hostname") == 0) return cgr_read_truth(value, &(bool){false});  // CReportParts/origin.c reads it
  if (strcmp(key, "guard") == 0) return cgr_read_share(value, &settings->guard);
  if (strcmp(key, "output") == 0) return set_output(settings, value);
  if (strcmp(key, "chain") == 0) return set_chain(settings, value);
  if (strcmp(key, "on-signal") == 0) return set_on_signal(settings, value);
  return false;
}

// The first ones by name, the others by their number.
static void add_mistake(cgr_text *line, size_t number, const char *pair) {
  if (number > MISTAKES_NAMED) return;
  char kept[MISTAKE_BYTES];
  cgr_text_string(line, number == 1 ? "CRASHKIT_OPTIONS: not understood: " : ", ");
  crp_text_harmless(line, kept, cgr_copy_cut(kept, pair, strlen(pair), sizeof kept));
}

static void end_mistakes(cgr_text *line, size_t count) {
  if (count == 0) return;
  if (count > MISTAKES_NAMED) {
    cgr_text_string(line, " and ");
    cgr_text_unsigned(line, count - MISTAKES_NAMED);
    cgr_text_string(line, " more");
  }
  cgr_text_string(
      line,
      " (there are enable, summary, journal, registers, tasks, thrown, arguments, environment, hostname: yes or no; "
      "output: file, stderr or json-line; chain: auto, yes or no; guard: yes, no or N for 1 in N allocations; "
      "on-signal: QUIT, USR1, USR2, HUP or 34 to 64; the folder is CRASHKIT_DIRECTORY)");
}

void ck_options_read(ck_settings *settings, bool keeps_throws, char *mistakes, size_t capacity) {
  *settings = (ck_settings){.enabled = true, .summary = true, .registers = true, .tasks = true, .chain = CK_CHAIN_AUTO};
  settings->thrown = keeps_throws;
  cgr_text line = {.bytes = mistakes, .capacity = capacity};
  size_t count = 0;
  const char *at = cgr_environment("CRASHKIT_OPTIONS");
  while (at && *at) {
    size_t size = strcspn(at, ",");
    char whole[128], key[128];
    snprintf(whole, sizeof whole, "%.*s", (int)size, at);
    at += size + (at[size] == ',');
    if (!whole[0]) continue;
    memcpy(key, whole, sizeof key);
    char *value = strchr(key, '=');
    if (value) *value++ = 0;
    if (!value || !apply(settings, key, value)) add_mistake(&line, ++count, whole);
  }
  end_mistakes(&line, count);
  cgr_text_terminated(&line);
}
