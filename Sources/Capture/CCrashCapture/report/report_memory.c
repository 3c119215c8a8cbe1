// The memory at the crashed thread's registers, without credentials.

#include "CGround/memory.h"
#include "CSecrets.h"
#include "processor/settings.h"
#include "report/masked_values.h"
#include "report/report_stages.h"

// What is written, and what is looked at.
enum { SHOWN_BYTES = 16, BEFORE_BYTES = CSEC_MEMORY_BEFORE, AFTER_BYTES = CSEC_MEMORY_BEHIND };
enum { ALL_BYTES = BEFORE_BYTES + AFTER_BYTES };
enum { SMALLEST_PAGE_BYTES = 4096 };

struct window {
  char bytes[ALL_BYTES];
  size_t shown, size;  // where the address is, and the end
};

static void read_before(struct window *window, uint64_t address, size_t count) {
  char bytes[BEFORE_BYTES];
  if (address < count || cgr_memory_read(address - count, bytes, count) != count) return;
  cgr_copy(window->bytes + BEFORE_BYTES - count, bytes, count);
}

// False if there is nothing at the address.
static bool read_window(struct window *window, uint64_t address) {
  size_t got = cgr_memory_read(address, window->bytes + BEFORE_BYTES, AFTER_BYTES);
  if (got == 0) return false;
  window->shown = BEFORE_BYTES;
  window->size = BEFORE_BYTES + got;
  cgr_zero(window->bytes, BEFORE_BYTES);
  // The page before may not be readable.
  size_t on_page = address % SMALLEST_PAGE_BYTES;
  if (on_page < BEFORE_BYTES) read_before(window, address, on_page);
  read_before(window, address, BEFORE_BYTES);
  return true;
}

static void mark_secrets(const struct window *window, bool *marks) {
  csec_mark_secrets_in_memory(window->bytes, window->size, marks);
  ck_masked_values_mark(window->bytes, window->size, marks);
}

static void write_memory(crp_json *json, uint64_t address) {
  struct window window;
  bool marks[ALL_BYTES];
  if (!read_window(&window, address)) return;
  mark_secrets(&window, marks);
  uint8_t bytes[SHOWN_BYTES];
  size_t count = window.size - window.shown;
  if (count > SHOWN_BYTES) count = SHOWN_BYTES;
  for (size_t i = 0; i < count; ++i) bytes[i] = marks[window.shown + i] ? '*' : (uint8_t)window.bytes[window.shown + i];
  char key[24];
  cgr_text text = CGR_TEXT(key);
  cgr_text_address(&text, address);
  crp_json_hex(json, cgr_text_terminated(&text), bytes, count);
}

void ck_write_captured_memory(ck_report *report) {
  if (!ck_current_settings.registers) return;
  const uint64_t *values = report->fault.registers.values;
  crp_json_begin_object(&report->json, "capturedMemory");
  for (int i = 0; i < CK_REGISTER_ADDRESSES; ++i) {
    bool seen = false;
    for (int k = 0; k < i && !seen; ++k) seen = values[k] == values[i];
    if (!seen) write_memory(&report->json, values[i]);
  }
  crp_json_end(&report->json);
}
