#pragma once
// The lines that CrashKit prints on standard error of a process, and that crashsym reads from a log. Each begins with
// `CrashKit[PID]: `. Async-signal-safe.

#include "report/report_stages.h"

#pragma GCC visibility push(hidden)

/// Begins a line. Async-signal-safe.
void ck_line_begin(const ck_report *report, cgr_text *text);
/// Appends bytes from outside. Async-signal-safe.
void ck_line_name(cgr_text *text, const char *name);

/// What happened, without a line's end: `api died: null pointer dereference (SIGSEGV, SEGV_MAPERR at 0x…)`.
/// Async-signal-safe.
void ck_line_death(const ck_report *report, cgr_text *text);
/// The image that holds a frame, or NULL. Async-signal-safe.
const crp_image *ck_frame_image(const ck_report *report, const ck_stack *stack, uint32_t index);
/// Where a frame is, `api+0x1f2a0` and a line's end, or the address alone if no image has it. Returns the image, or
/// NULL. Async-signal-safe.
const crp_image *ck_line_place(const ck_report *report, cgr_text *text, const ck_stack *stack, uint32_t index);
/// The same as a line of its own, `  0 api+0x1f2a0`. Async-signal-safe.
const crp_image *ck_line_frame(const ck_report *report, cgr_text *text, const ck_stack *stack, uint32_t index);
/// The line of an image with its build ID and its path. Async-signal-safe.
void ck_line_image(const ck_report *report, cgr_text *text, const crp_image *image);
/// The lines that name the finished report, and the command that shows it. Async-signal-safe.
void ck_lines_where(const ck_report *report, cgr_text *text);

#pragma GCC visibility pop
