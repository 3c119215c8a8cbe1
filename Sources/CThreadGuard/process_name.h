#pragma once
// The name of the program's file. System calls only.

#pragma GCC visibility push(hidden)

/// The path's last part, without what the kernel adds when the file was replaced.
const char *ctg_process_name(void);

#pragma GCC visibility pop
