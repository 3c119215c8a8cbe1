#pragma once
// Return addresses on a stack.

#include <stdint.h>

/// A return address without its signature. A function for aarch64 may sign its return address before it puts it on the
/// stack (pointer authentication). The processor takes the signature out by itself (xpaclri), so that no mask has to be
/// known; a processor without signatures takes the instruction for a hint and does nothing. Async-signal-safe.
static inline uintptr_t cgr_without_signature(uintptr_t address) {
#ifdef __aarch64__
  register uintptr_t link __asm__("x30") = address;
  __asm__("hint #7" : "+r"(link));
  return link;
#else
  return address;
#endif
}
