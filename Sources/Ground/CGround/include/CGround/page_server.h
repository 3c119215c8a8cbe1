#pragma once
// Memory that another process or thread fills page by page (userfaultfd(2)). A read of a missing page waits for it, and
// no signal handler ends that wait.

#pragma GCC visibility push(hidden)

/// Looks whether this process has a descriptor of such memory. If it has one, cgr_memory_read reads from then on only
/// pages that are in memory. A process may have such memory without the descriptor: that is not found.
/// Async-signal-safe.
void cgr_page_server_look(void);

#pragma GCC visibility pop
