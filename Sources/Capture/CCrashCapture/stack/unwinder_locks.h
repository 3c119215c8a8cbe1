#pragma once
// libunwind's locks, in a process that is dying.

#pragma GCC visibility push(hidden)

/// Lets the library, a handle of dlopen, take no lock on a thread that makes a report. It takes up to three a frame:
/// its address space's, which is ours, and its memory pool's, which is everybody's who uses the same copy, so that a
/// thread that was stopped with it would keep a report waiting. Other threads take them as ever. Where it cannot be
/// done all stays as it was. Not async-signal-safe.
void ck_unwinder_locks_leave_out(void *library);

#pragma GCC visibility pop
