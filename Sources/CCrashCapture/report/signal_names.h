#pragma once
// Names of signals and of their codes. Async-signal-safe: tables only.

#pragma GCC visibility push(hidden)

/// "SIGSEGV"; "signal" where it is none of those that are handled.
const char *ck_signal_name(int signal);
/// "Segmentation fault"
const char *ck_signal_description(int signal);
/// "SEGV_MAPERR"; NULL where the code has no name here.
const char *ck_signal_code_name(int signal, int code);

#pragma GCC visibility pop
