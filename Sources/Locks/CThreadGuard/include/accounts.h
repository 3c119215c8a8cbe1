#pragma once
// The account for which a thread works. Tests use it to find which test broke a rule.

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Sets who says on whose account the calling thread works. NULL ends it. `source` must be async-signal-safe once it
/// has been called.
void ctg_set_account_source(uint64_t (*source)(void));

/// What the source says; if that is 0, the account of the work that the thread runs. 0 for no account.
/// Async-signal-safe, as the source is.
uint64_t ctg_current_account(void);

/// Sets the account that the calling thread reports for, if it reports what another thread found; 0 ends it.
void ctg_act_for(uint64_t account);

/// Sets the account of the work that the calling thread runs from now on. Returns that of the work around it.
uint64_t ctg_account_of_work(uint64_t account);

#pragma GCC visibility pop
