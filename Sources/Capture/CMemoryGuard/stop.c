// Ends the process as libc's free() does for memory of its own.

#include "stop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "CGround/descriptors.h"
#include "CGround/own_ids.h"
#include "CGround/text.h"
#include "published.h"

/// No thread has this id.
#define CLAIMED UINT32_MAX

// Of two threads at once the first one counts. One that is here again has left its abort() by a jump.
static void note(uint32_t why, const void *address) {
  uint32_t before = 0, self = (uint32_t)cgr_thread_id();
  bool is_first = atomic_compare_exchange_strong(&crashkit_memory_guard.stop_thread, &before, CLAIMED);
  if (!is_first && before != self) return;
  crashkit_memory_guard.stop = why;
  crashkit_memory_guard.stop_address = (uintptr_t)address;
  atomic_store_explicit(&crashkit_memory_guard.stop_thread, self, memory_order_release);
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
