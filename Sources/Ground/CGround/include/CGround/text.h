#pragma once
// Text and numbers without stdio. Every function is async-signal-safe and touches only its arguments.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A bounded piece of text; what does not fit is left out and `cut` is set.
typedef struct cgr_text {
  char *bytes;
  size_t size;
  size_t capacity;
  bool cut;
} cgr_text;

#define CGR_TEXT(array) ((cgr_text){.bytes = (array), .capacity = sizeof(array)})

void cgr_text_bytes(cgr_text *text, const char *bytes, size_t size);
void cgr_text_string(cgr_text *text, const char *string);
void cgr_text_decimal(cgr_text *text, int64_t value);
void cgr_text_unsigned(cgr_text *text, uint64_t value);
/// Decimal with leading zeros up to `digits`.
void cgr_text_padded(cgr_text *text, uint64_t value, int digits);
/// Lower-case hexadecimal with leading zeros up to `digits`.
void cgr_text_hex(cgr_text *text, uint64_t value, int digits);
/// "0x" and 16 digits.
void cgr_text_address(cgr_text *text, uint64_t address);
void cgr_text_hex_bytes(cgr_text *text, const uint8_t *bytes, size_t size);
/// A count of nanoseconds as seconds with nine decimals.
void cgr_text_seconds(cgr_text *text, uint64_t nanoseconds);
/// RFC 3339 in UTC with microseconds, for nanoseconds since 1970 (before 1970: 1970).
void cgr_text_timestamp(cgr_text *text, int64_t nanoseconds);
/// "20261121T082435.997Z", as file names have it.
void cgr_text_file_time(cgr_text *text, int64_t nanoseconds);
/// At most 17 digits, never a plain integer beyond 2^53, which read back as the same value; few where few do; "nan",
/// "inf" and "-inf" for what is not finite.
void cgr_text_double(cgr_text *text, double value);
/// Adds the terminating zero and returns the text; the last byte is given up if the text is full.
const char *cgr_text_terminated(cgr_text *text);

bool cgr_starts_with(const char *string, const char *prefix);
/// Reads a number in base 10 or 16 at `*at`, moves `*at` behind it; stops at the first other character.
uint64_t cgr_parse_number(const char **at, const char *end, int base);

#pragma GCC visibility pop
