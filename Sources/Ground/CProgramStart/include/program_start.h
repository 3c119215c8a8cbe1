#pragma once
// The kernel's data for this process at its start.

/// The arguments, byte for byte, and without /proc too. NULL ends the list.
char *const *program_start_arguments(void);
