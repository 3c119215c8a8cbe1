#pragma once
// Where a report goes: a file in the report directory, numbered lines on stderr, or both. Async-signal-safe but for
// ck_output_prepare.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// How long one report waits in all for a reader of its lines.
#define CK_LOG_WAIT_NS 1500000000ull

typedef struct ck_output {
  int directory;       // of the file; -1 if there is none
  bool owns_directory;  // opened for this report
  int file;            // -1 where there is none
  bool numbered;       // written as lines while it is made, for there is no file
  bool repeats;        // the finished file is written as lines too
  bool cut;            // bytes were lost
  bool is_spare;       // the file was made before the process gave up its user, and keeps its name
  bool replaces;       // an earlier report of the same name is put aside
  bool is_second;      // the file could not take it all: what is written now is the whole report again
  int error;           // errno of the first failure, 0 where there was none
  uint64_t written;
  char partial[96];    // "….json.partial", in the directory
  char name[96];       // "….json"
  char path[512];      // of the finished file, for people
  // numbered lines
  char id[24];
  uint32_t line;
  uint32_t crc;
  uint64_t wait_left_ns;  // for whoever reads the lines
  size_t pending_size;
  uint8_t pending[576];
} ck_output;

/// Keeps the directory's descriptor and identity for the handler, and one descriptor in reserve. Not for handlers.
void ck_output_prepare(int directory, const char *directory_path);

/// Opens the output: a file if the directory can be written to, else numbered lines. `numbered` wants both.
void ck_output_open(ck_output *output, uint64_t realtime_ns, int pid, const char *kind, bool numbered);
/// If no file could be made: takes the one that was made for this before. For the report of a crash only.
void ck_output_use_spare(ck_output *output, bool numbered);
void ck_output_write(void *output, const char *bytes, size_t size);
/// Once all is written: ends a file that could not take it all, which stays unless it is empty, and turns to numbered
/// lines. True where the report is to be written again, from its start.
bool ck_output_start_over(ck_output *output);
/// Gives the file its final name, or ends the numbered lines.
void ck_output_finish(ck_output *output);
/// Once finished: whether every byte reached the file, or was written as numbered lines.
bool ck_output_is_whole(const ck_output *output);

/// Writes the finished file once more, as numbered lines, if that is wanted. Nothing else waits for a reader of those.
void ck_output_repeat(ck_output *output);
/// Removes what has been written, in place of ck_output_finish.
void ck_output_discard(ck_output *output);
/// Notes that bytes were lost; 0 is no error.
void ck_output_note(ck_output *output, int error);
/// Takes back the signal that the kernel sent because a file met its size limit; call it with that blocked.
void ck_output_drop_signals(void);
/// The folder's descriptor, or -1: there is none, or the program closed it.
int ck_output_directory(void);
/// A copy of a descriptor at a number that programs do not count on, or -1. It is not inherited by exec.
int ck_out_of_the_way(int fd);
/// Frees a descriptor number for the capture's own reads where the process has none left.
void ck_output_make_room(void);

#pragma GCC visibility pop
