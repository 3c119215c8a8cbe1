#pragma once
// The file of one violation, with the rules of every report: mode 0600, a provisional name until it is complete, and no
// links. System calls and functions of strings only. For one thread at a time.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The name of the program's file: the path's last part, without what the kernel adds when the file was replaced.
const char *ctg_process_name(void);

/// Finds out where reports may go. Ordinary libc; makes nothing yet. Called at the start.
void ctg_report_file_prepare(void);

/// Opens a file for a report of now, in the crash capture's directory if that is installed. False if nothing can
/// be written; that is said on standard error, once.
bool ctg_report_file_open(uint64_t realtime_ns, const char *kind);
void ctg_report_file_write(void *unused, const char *bytes, size_t size);
/// Gives the file its name. Returns its path, or NULL if it could not be written whole; then there is none.
const char *ctg_report_file_finish(void);

#pragma GCC visibility pop
