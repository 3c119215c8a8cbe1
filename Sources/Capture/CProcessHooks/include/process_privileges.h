#pragma once
// Observes when a program gives up its user.

#pragma GCC visibility push(hidden)

/// Sets the one function that runs before setuid, seteuid, setreuid or setresuid gives the process another effective
/// user, or setfsuid or setfsgid the thread another one for files, on the calling thread. It must be async-signal-safe.
/// NULL removes it. Safe from any thread.
void cph_observe_privileges(void (*about_to_change)(void));

#pragma GCC visibility pop
