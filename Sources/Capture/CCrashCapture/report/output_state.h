#pragma once
// Shared data of the parts of an output: its state, and the bytes that it lost.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGround/write_signals.h"
#include "CReportParts/report_name.h"

#pragma GCC visibility push(hidden)

/// How long one report waits in all for a reader of its lines.
#define CK_LOG_WAIT_NS 1500000000ull

typedef struct ck_output {
  int directory;        // of the file; -1 if there is none
  bool owns_directory;  // opened for this report
  int file;             // -1 if there is none
  bool numbered;        // written as lines while it is made, for there is no file
  bool repeats;         // the finished file is written as lines too
  bool cut;             // bytes were lost
  bool is_spare;        // the file was made before the process gave up its user, and keeps its name
  bool replaces;        // an earlier report of the same name is put aside
  bool is_second;       // the file could not take it all: what is written now is the whole report again
  int error;            // errno of the first failure, 0 if there was none
  uint64_t written;
  crp_report_name name;
  char path[512];  // of the finished file, for people
  // numbered lines
  char id[24];
  uint32_t line;
  uint32_t crc;
  uint64_t wait_left_ns;  // for the reader of the lines
  size_t pending_size;
  uint8_t pending[576];
} ck_output;

/// Whether the report goes to a file. Async-signal-safe.
static inline bool ck_output_has_file(const ck_output *output) { return output->directory >= 0 || output->is_spare; }

/// Notes that bytes were lost; 0 is no error. Async-signal-safe.
void ck_output_note(ck_output *output, int error);
/// Takes back the signal that the kernel sent because a file met its size limit; call it with that blocked, and with
/// what was pending before. Async-signal-safe.
void ck_output_drop_signals(const cgr_write_signals *held);

#pragma GCC visibility pop
