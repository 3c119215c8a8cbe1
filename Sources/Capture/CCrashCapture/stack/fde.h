#pragma once
// Facts about an FDE that libunwind does not give: where its function starts, and whether it is the outermost of its
// thread. Async-signal-safe, under a guard: reads the images' unwind tables if they are mapped.

#include <stdbool.h>
#include <stdint.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

/// True where the unwind information of the function at `pc` declares the return address undefined, which is how
/// _start and clone mark the end of a stack (DWARF 5, 6.4.4).
bool ck_fde_ends_stack(const crp_image *image, uint64_t pc);

/// Where the function that holds `pc` starts; 0 if no FDE covers it.
uint64_t ck_fde_function_start(const crp_image *image, uint64_t pc);

/// As ck_fde_function_start, with the address behind the function's last instruction in `end`.
uint64_t ck_fde_function(const crp_image *image, uint64_t pc, uint64_t *end);

/// Whether the frame pointer of the function at `pc` points elsewhere than right below its return address: the
/// word there is no return address then. Never on aarch64, where a frame record holds both.
bool ck_fde_frame_is_apart(const crp_image *image, uint64_t pc);

/// Copies the FDE of the function at `pc` to `bytes` without its notes on signed return addresses, which libunwind 1.6
/// takes for an error. Returns where the FDE lies, with its length in `size`; 0 if there is none, it does not fit
/// into `capacity`, or it has no such notes.
uint64_t ck_fde_copy_unsigned(const crp_image *image, uint64_t pc, uint8_t *bytes, uint32_t capacity, uint32_t *size);

#pragma GCC visibility pop
