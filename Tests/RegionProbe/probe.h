#pragma once
// What the probe's parts share. Each part is one question, asked as `region-probe NAME ARGUMENT…`; it exits with 0
// when the answer is the right one, else with 1 and a line that says what was wrong.
#include "attributes.h"
#include "record/region_file.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(condition, ...)                                         \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, "" __VA_ARGS__);                                \
      fprintf(stderr, "\n");                                          \
      _exit(1);                                                       \
    }                                                                 \
  } while (0)

/// Maps a file in the directory; the probe fails where that fails.
void attach(const char *directory, size_t ring_size);

/// Records "TEXT N" in category "probe".
void record(const char *text, unsigned number);

/// How many readable breadcrumbs of this process say "TEXT" and a number; `last` is the last one's, or -1.
unsigned count_records(const char *text, long *last);

/// Waits for a child and checks that it ended with status 0.
void expect_success(pid_t child);

typedef int (*probe)(char **arguments);

int probe_records(char **arguments);
int probe_counted(char **arguments);
int probe_producers(char **arguments);
int probe_interrupted(char **arguments);
int probe_late_attach(char **arguments);
int probe_attach_race(char **arguments);
int probe_quiet(char **arguments);
int probe_truncated(char **arguments);
int probe_fork(char **arguments);
int probe_raw_fork(char **arguments);
int probe_fork_hold(char **arguments);
int probe_fork_of_threads(char **arguments);
int probe_spawn(char **arguments);
int probe_attributes(char **arguments);
int probe_metrics(char **arguments);
