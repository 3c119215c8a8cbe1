#pragma once
// What ThreadGuard says on standard error. System calls only.

#include "text.h"

#pragma GCC visibility push(hidden)

/// "ThreadGuard[PID]: "
void ctg_line_head(ck_text *text);

/// Ends the line and writes all of the text. What does not fit is left out.
void ctg_line_end(ck_text *text);

#pragma GCC visibility pop
