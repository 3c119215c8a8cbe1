// Ends the process as libc's free() does for memory of its own.

#include "stop.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "CGround/descriptors.h"
#include "CGround/own_ids.h"
#include "CGround/text.h"
#include "published.h"

// Of two threads at once the first one counts.
static void note(uint32_t why, const void *address) {
  static _Atomic uint32_t is_noted;
  if (atomic_exchange(&is_noted, 1)) return;
  crashkit_memory_guard.stop = why;
  crashkit_memory_guard.stop_address = (uintptr_t)address;
  atomic_store_explicit(&crashkit_memory_guard.stop_thread, (uint32_t)cgr_thread_id(), memory_order_release);
}

void cmg_stop(uint32_t why, const void *address) {
  char bytes[96];
  cgr_text line = CGR_TEXT(bytes);
  note(why, address);
  cgr_text_string(&line, why == CRV_STOP_DOUBLE_FREE ? "free(): double free of 0x" : "free(): invalid pointer 0x");
  cgr_text_hex(&line, (uintptr_t)address, 1);
  cgr_text_string(&line, why == CRV_STOP_DOUBLE_FREE ? "\n" : ": no allocation begins there\n");
  cgr_print("CrashKit", line.bytes, line.size);
  abort();
}
