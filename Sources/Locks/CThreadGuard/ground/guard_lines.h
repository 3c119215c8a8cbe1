#pragma once
// ThreadGuard's lines on standard error. System calls only.

#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// "ThreadGuard[PID]: "
void ctg_line_head(cgr_text *text);

/// Ends the line that begins at `start`, and begins another. What stands in a line from outside is made harmless as the
/// line ends. Returns where the new line begins.
size_t ctg_line_next(cgr_text *text, size_t start);

/// Ends the last of several lines and writes them all in a single call. What does not fit is left out.
void ctg_lines_end(cgr_text *text, size_t start);

/// The same for a single line.
void ctg_line_end(cgr_text *text);

#pragma GCC visibility pop
