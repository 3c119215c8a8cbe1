#pragma once
// The folder of the reports. Async-signal-safe except ck_folder_prepare.

#pragma GCC visibility push(hidden)

/// Keeps the folder's descriptor and identity for the handler, and one descriptor in reserve. Not for handlers.
void ck_folder_prepare(int directory, const char *path);

/// The folder's path; empty if there is none.
extern char ck_folder_path[400];

/// The folder's descriptor, or -1: there is none, or the program closed it. Async-signal-safe.
int ck_folder_descriptor(void);

#pragma GCC visibility pop
