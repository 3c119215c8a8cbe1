// The new value of a secret: "a" -> "b" of Terraform and Pulumi. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "CGround/memory.h"
#include "secret_scan.h"

// Behind the blanks at `i`, and colours between them.
static size_t skip_blanks(const struct csec_masking *m, size_t i) {
  enum { BLANKS_MAX = 32 };
  size_t size;
  for (int k = 0; k < BLANKS_MAX && (size = csec_blank_size(m, i)) > 0; k++) i += size;
  return i;
}

// The place behind the arrow at `i` and the blanks around it; `i` if no arrow stands there. An arrow between texts in
// quotes needs no blanks.
static size_t arrow_end(const struct csec_masking *m, size_t i, bool is_quoted) {
  static const char *const arrows[] = {"->",    "=>",           "-->",          "==>", "-&gt;",
                                       "=&gt;", "\xe2\x86\x92", "\xe2\x87\x92", NULL};
  size_t start = skip_blanks(m, i);
  for (const char *const *arrow = arrows; *arrow; arrow++) {
    size_t size = cgr_length(*arrow);
    if (!csec_begins(m->text, m->size, start, *arrow)) continue;
    size_t next = skip_blanks(m, start + size);
    bool is_apart = start > i && next > start + size;
    return is_apart || (is_quoted && csec_is_quote(csec_at(m, next))) ? next : i;
  }
  return i;
}

// Behind the quotes and parentheses that close the value, in whichever way they are written.
static size_t value_end(const struct csec_masking *m, const struct csec_secret_value *value) {
  enum { CLOSING_MAX = 4 };
  size_t end = value->to;
  for (int k = 0; k < CLOSING_MAX; k++) {
    size_t size = csec_closing_size(m, end), slashes = 0;
    while (slashes < 2 && csec_at(m, end + slashes) == '\\') slashes++;
    char c = csec_at(m, end + slashes);
    if (size == 0 && (csec_is_quote(c) || c == ')')) size = slashes + 1;
    end += size;
  }
  return end;
}

// Masks what the value becomes, and remembers it as the value. Returns where to read on, or `i`.
static size_t read_change(struct csec_masking *m, size_t i, struct csec_secret_value *value) {
  size_t end = value_end(m, value), next = arrow_end(m, end, value->is_quoted);
  if (next == end) return i;
  struct csec_secret_value later = csec_secret_value_at(m, next, '=', CSEC_SECRET_NAME);
  bool is_number = value->to > value->from && csec_digits_end(m, value->from, value->to) == value->to;
  bool is_plain = !later.is_quoted && !csec_looks_random(m, later.from, later.to, is_number);
  is_plain |= csec_is_plain_value(m, &later, '=', CSEC_SECRET_NAME);
  *value = later;
  return is_plain ? i : csec_mask(m, later.from, later.to);
}

// "func login(password: String) -> Int64": a function's result.
static bool ends_parameters(const struct csec_masking *m, const struct csec_secret_value *value) {
  enum { PARAMETERS_MAX = 128 };
  if (value->is_quoted || value->to == value->from || m->text[value->to - 1] != ')') return false;
  if (value->to - value->from > PARAMETERS_MAX) return false;
  size_t i = value->from;
  while (i < value->to && m->text[i] != '(') i++;
  return i == value->to;
}

size_t csec_read_change(struct csec_masking *m, size_t i, const struct csec_secret_value *value) {
  struct csec_secret_value last = *value;
  m->key_end = 0;
  if (ends_parameters(m, value)) return i;
  for (size_t end; (end = read_change(m, i, &last)) > i;) i = end;
  return i;
}
