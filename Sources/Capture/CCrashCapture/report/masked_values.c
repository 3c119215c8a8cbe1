// The credentials that a report masks in its texts. One report is written at a time.

#include "report/masked_values.h"

#include "CGround/utf8.h"
#include "CProcessHooks.h"
#include "CSecrets.h"

enum { VALUES_MAX = 32, VALUE_BYTES_MAX = 128, VALUE_BYTES_MIN = 4, PART_BYTES_MIN = 6 };

struct value {
  size_t size;
  bool is_longer;  // than what is kept of it
  char bytes[VALUE_BYTES_MAX];
};

static struct value values[VALUES_MAX];
static size_t value_count;
static bool text_marks[CPH_WORDS_MAX];

static void keep(const char *bytes, size_t size) {
  if (size < VALUE_BYTES_MIN || value_count == VALUES_MAX) return;
  struct value *value = &values[value_count];
  value->is_longer = size > VALUE_BYTES_MAX;
  value->size = value->is_longer ? VALUE_BYTES_MAX : size;
  cgr_copy(value->bytes, bytes, value->size);
  ++value_count;
}

static void keep_parts(const char *value, size_t size) {
  keep(value, size);
  size_t colon = 0;
  while (colon < size && value[colon] != ':') ++colon;
  if (colon < size) keep(value + colon + 1, size - colon - 1);
}

void ck_masked_values_find(const char *text, size_t size) {
  if (size > sizeof text_marks) size = sizeof text_marks;
  value_count = 0;
  csec_mark_secrets(text, size, text_marks);
  for (size_t from = 0, to; from < size; from = to + 1) {
    to = from;
    while (to < size && text_marks[to]) ++to;
    keep_parts(text + from, to - from);
  }
}

static size_t same_forwards(const struct value *value, const char *bytes, size_t size) {
  size_t same = 0;
  while (same < size && same < value->size && bytes[same] == value->bytes[same]) ++same;
  return same;
}

// How many bytes before `end` are the last ones of the value.
static size_t same_backwards(const struct value *value, const char *bytes, size_t end) {
  size_t same = 0;
  while (same < end && same < value->size && bytes[end - 1 - same] == value->bytes[value->size - 1 - same]) ++same;
  return same;
}

static bool counts(const struct value *value, size_t same) { return same == value->size || same >= PART_BYTES_MIN; }

CGR_NO_LIBC static void mark(bool *marks, size_t from, size_t to) {
  for (; from < to; ++from) marks[from] = true;
}

static void mark_value(const struct value *value, const char *bytes, size_t size, bool *marks) {
  for (size_t at = 0; at < size; ++at) {
    size_t same = same_forwards(value, bytes + at, size - at), end = at + same;
    if (!counts(value, same)) continue;
    while (value->is_longer && same == value->size && end < size && (unsigned char)bytes[end] > ' ') ++end;
    mark(marks, at, end);
  }
  for (size_t end = size; end > 0 && !value->is_longer; --end) {
    size_t same = same_backwards(value, bytes, end);
    if (counts(value, same)) mark(marks, end - same, end);
  }
}

void ck_masked_values_mark(const char *bytes, size_t size, bool *marks) {
  for (size_t i = 0; i < value_count; ++i) mark_value(&values[i], bytes, size, marks);
}
