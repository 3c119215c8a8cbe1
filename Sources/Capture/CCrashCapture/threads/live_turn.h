#pragma once
// Decides which thread may unwind: the unwinder and libunwind's own locks serve one thread at a time, and a crash has
// priority over a capture of the living process.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Takes the turn for a capture of the living process: from here to ck_live_end_turn no signal but a fault's reaches
/// the thread, so that nothing stops it with a lock of libunwind held. False once a crash is being captured.
/// Async-signal-safe.
bool ck_live_take_turn(uint64_t *mask_before);
void ck_live_end_turn(const uint64_t *mask_before);

/// Called as a crash is being captured: keeps captures of the living process from beginning, and waits for the one
/// stack that may be in work. Async-signal-safe; bounded by CK_LIVE_TURN_NS.
void ck_live_make_way(void);

#define CK_LIVE_TURN_NS 100000000ull

#pragma GCC visibility pop
