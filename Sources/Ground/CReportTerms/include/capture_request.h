#pragma once
// How one process asks another for a capture: a signal with a value, to one of its threads. CrashKit keeps a handler
// for that signal, whatever the program does with it.

#include <signal.h>
#include <stdint.h>

#define TERM_REQUEST_SIGNAL SIGSYS
/// The value's high half; its low half is the request's number.
#define TERM_REQUEST_COOKIE 0x43724b71u
/// How a report that was asked for describes itself; the number follows, in eight digits of hex.
#define TERM_REQUEST_WORDS "asked for by another process, request "
