#pragma once
// The program's last message: Swift's fatal-error text, an uncaught C++ exception's, glibc's abort text, or the text of
// a Rust panic.

#include "report/cause.h"
#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Finds out where the texts are kept. Not for handlers: called at install.
void ck_message_prepare(void);

/// Notes which texts were there before a signal of an earlier death. If the signal can mean such a death itself, the
/// present ones become its own, and are old for what comes later. Async-signal-safe.
void ck_message_take_turn(ck_last_signs *signs, int signal);

/// Writes the text, without trailing newlines; leaves `text` empty if there is none. Async-signal-safe.
void ck_message_write(cgr_text *text, const ck_fault *fault, int tid);

#pragma GCC visibility pop
