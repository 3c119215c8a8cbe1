#pragma once
// Where a report goes: a file in the report directory, numbered lines on stderr, or both. Async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/output_state.h"

#pragma GCC visibility push(hidden)

/// Opens the output: a file if the directory can be written to, else numbered lines. `numbered` wants both.
void ck_output_open(ck_output *output, uint64_t realtime_ns, int pid, const char *kind, bool numbered);
/// If no file could be made: takes the one that was made for this before. For the report of a crash only.
void ck_output_use_spare(ck_output *output, bool numbered);
void ck_output_write(void *output, const char *bytes, size_t size);
/// Once all is written: ends a file that could not take it all, which stays unless it is empty, and turns to numbered
/// lines. True if the report is to be written again, from its start.
bool ck_output_start_over(ck_output *output);
/// Gives the file its final name, or ends the numbered lines.
void ck_output_finish(ck_output *output);
/// Once finished: whether every byte reached the file, or was written as numbered lines.
bool ck_output_is_whole(const ck_output *output);

/// Writes the finished file once more, as numbered lines, if that is wanted. Nothing else waits for a reader of those.
void ck_output_repeat(ck_output *output);
/// Removes what has been written, in place of ck_output_finish.
void ck_output_discard(ck_output *output);
#pragma GCC visibility pop
