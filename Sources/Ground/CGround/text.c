// Text and numbers without stdio. Calls nothing.

#include "CGround/text.h"

#include "CGround/memory.h"

void cgr_text_bytes(cgr_text *text, const char *bytes, size_t size) {
  size_t room = text->capacity - text->size;
  if (size > room) {
    size = room;
    text->cut = true;
  }
  cgr_copy(text->bytes + text->size, bytes, size);
  text->size += size;
}

void cgr_text_string(cgr_text *text, const char *string) { cgr_text_bytes(text, string, cgr_length(string)); }

void cgr_text_padded(cgr_text *text, uint64_t value, int digits) {
  char buffer[20];
  int at = 20;
  do {
    buffer[--at] = (char)('0' + value % 10);
    value /= 10;
    --digits;
  } while ((value > 0 || digits > 0) && at > 0);
  cgr_text_bytes(text, buffer + at, (size_t)(20 - at));
}

void cgr_text_unsigned(cgr_text *text, uint64_t value) { cgr_text_padded(text, value, 1); }

void cgr_text_decimal(cgr_text *text, int64_t value) {
  if (value < 0) cgr_text_bytes(text, "-", 1);
  cgr_text_unsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static const char hex_digits[] = "0123456789abcdef";

void cgr_text_hex(cgr_text *text, uint64_t value, int digits) {
  char buffer[16];
  int at = 16;
  do {
    buffer[--at] = hex_digits[value & 15];
    value >>= 4;
    --digits;
  } while ((value > 0 || digits > 0) && at > 0);
  cgr_text_bytes(text, buffer + at, (size_t)(16 - at));
}

void cgr_text_address(cgr_text *text, uint64_t address) {
  char buffer[18] = "0x";
  for (int i = 17; i >= 2; --i, address >>= 4) buffer[i] = hex_digits[address & 15];
  cgr_text_bytes(text, buffer, 18);
}

void cgr_text_hex_bytes(cgr_text *text, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    char pair[2] = {hex_digits[bytes[i] >> 4], hex_digits[bytes[i] & 15]};
    cgr_text_bytes(text, pair, 2);
  }
}

void cgr_text_seconds(cgr_text *text, uint64_t nanoseconds) {
  cgr_text_unsigned(text, nanoseconds / 1000000000);
  cgr_text_bytes(text, ".", 1);
  cgr_text_padded(text, nanoseconds % 1000000000, 9);
}

struct calendar {
  uint64_t year;
  unsigned month, day, hour, minute, second;
  unsigned microsecond;
};

// Days to a date by the 400-year cycle that starts on 1 March (Howard Hinnant, "chrono-compatible low-level date
// algorithms").
static struct calendar calendar_of(int64_t nanoseconds) {
  if (nanoseconds < 0) nanoseconds = 0;
  uint64_t seconds = (uint64_t)nanoseconds / 1000000000;
  uint64_t in_day = seconds % 86400;
  uint64_t shifted = seconds / 86400 + 719468;
  uint64_t cycle = shifted / 146097;
  uint64_t day_of_cycle = shifted % 146097;
  uint64_t year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 - day_of_cycle / 146096) / 365;
  uint64_t day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
  uint64_t shifted_month = (5 * day_of_year + 2) / 153;
  unsigned month = (unsigned)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return (struct calendar){.year = cycle * 400 + year_of_cycle + (month <= 2),
                           .month = month,
                           .day = (unsigned)(day_of_year - (153 * shifted_month + 2) / 5 + 1),
                           .hour = (unsigned)(in_day / 3600),
                           .minute = (unsigned)(in_day / 60 % 60),
                           .second = (unsigned)(in_day % 60),
                           .microsecond = (unsigned)((uint64_t)nanoseconds / 1000 % 1000000)};
}

static void fields(cgr_text *text, const struct calendar *c, const char *dash, const char *colon) {
  cgr_text_padded(text, c->year, 4);
  cgr_text_string(text, dash);
  cgr_text_padded(text, c->month, 2);
  cgr_text_string(text, dash);
  cgr_text_padded(text, c->day, 2);
  cgr_text_bytes(text, "T", 1);
  cgr_text_padded(text, c->hour, 2);
  cgr_text_string(text, colon);
  cgr_text_padded(text, c->minute, 2);
  cgr_text_string(text, colon);
  cgr_text_padded(text, c->second, 2);
  cgr_text_bytes(text, ".", 1);
}

void cgr_text_timestamp(cgr_text *text, int64_t nanoseconds) {
  struct calendar c = calendar_of(nanoseconds);
  fields(text, &c, "-", ":");
  cgr_text_padded(text, c.microsecond, 6);
  cgr_text_bytes(text, "Z", 1);
}

void cgr_text_file_time(cgr_text *text, int64_t nanoseconds) {
  struct calendar c = calendar_of(nanoseconds);
  fields(text, &c, "", "");
  cgr_text_padded(text, c.microsecond / 1000, 3);
  cgr_text_bytes(text, "Z", 1);
}

const char *cgr_text_terminated(cgr_text *text) {
  if (text->size == text->capacity) {
    --text->size;
    text->cut = true;
  }
  text->bytes[text->size] = 0;
  return text->bytes;
}

bool cgr_starts_with(const char *string, const char *prefix) {
  while (*prefix)
    if (*string++ != *prefix++) return false;
  return true;
}

uint64_t cgr_parse_number(const char **at, const char *end, int base) {
  uint64_t value = 0;
  const char *p = *at;
  for (; p < end; ++p) {
    unsigned digit;
    if (*p >= '0' && *p <= '9')
      digit = (unsigned)(*p - '0');
    else if (base == 16 && *p >= 'a' && *p <= 'f')
      digit = (unsigned)(*p - 'a') + 10;
    else
      break;
    value = value * (uint64_t)base + digit;
  }
  *at = p;
  return value;
}
