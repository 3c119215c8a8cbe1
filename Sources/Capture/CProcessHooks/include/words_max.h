#pragma once
// How many bytes of a runtime's text are kept.

/// Bytes: what a report shows of a message at most, and 1 KiB more, by which it finds credentials at the end.
#define CPH_WORDS_MAX 5120
