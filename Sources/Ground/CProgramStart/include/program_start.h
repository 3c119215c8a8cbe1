#pragma once
// What the kernel gave this process as it started.

/// The arguments, byte for byte, and without /proc too. NULL ends the list.
char *const *program_start_arguments(void);
