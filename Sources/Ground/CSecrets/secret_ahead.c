// Names that come after their values: {"value": "x", "name": "password"}. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

// A name stands this close behind a value, which is no longer than this.
enum { NEAR = 256, VALUE_MAX = 256, SIGNS_MAX = 16 };

bool csec_begins_item(const struct csec_masking *m) {
  size_t i = m->key_start, most = SIGNS_MAX;
  if (i > 0 && csec_is_quote(m->text[i - 1])) i--;
  while (i > 0 && csec_is_blank(m->text[i - 1]) && most-- > 0) i--;
  if (csec_is_dumped(m)) return true;
  if (i == 0 || i == m->key_start || m->text[i - 1] != '-') return false;
  return i == 1 || (uint8_t)m->text[i - 2] <= ' ';
}

// Whether a list's next item, or an empty line, begins at `i`.
static bool begins_other(const struct csec_masking *m, size_t i) {
  size_t most = i + NEAR;
  while (i < most && csec_is_blank(csec_at(m, i))) i++;
  return csec_ends_line(csec_at(m, i)) || (csec_at(m, i) == '-' && csec_is_blank(csec_at(m, i + 1)));
}

// Behind blanks, backslashes and quotes.
static size_t skip_signs(const struct csec_masking *m, size_t i) {
  size_t most = i + SIGNS_MAX;
  while (i < most && (csec_is_blank(csec_at(m, i)) || csec_at(m, i) == '\\' || csec_is_quote(csec_at(m, i)))) i++;
  return i;
}

// Where the name begins behind `name="`, whose key is `start` to `end`; 0 if it is no such pair. `*is_value` says that
// it is the pair of another value.
static size_t name_of_pair(const struct csec_masking *m, size_t start, size_t end, bool *is_value) {
  size_t sign = skip_signs(m, end);
  if (csec_at(m, sign) != ':' && csec_at(m, sign) != '=') return 0;
  *is_value = csec_is_value_word(m, start, end);
  return csec_is_naming(m, start, end) ? skip_signs(m, sign + 1) : 0;
}

// "<name>password": where the name begins; 0 if it is no such element.
static size_t name_of_element(const struct csec_masking *m, size_t i) {
  size_t start = i + 1, end = start;
  while (end < m->size && end < i + CSEC_KEY_MAX && (csec_is_key(m->text[end]) || m->text[end] == ':'))
    if (m->text[end++] == ':') start = end;
  return csec_at(m, end) == '>' && csec_is_naming(m, start, end) ? end + 1 : 0;
}

size_t csec_name_behind(const struct csec_masking *m, size_t i) {
  size_t most = i + NEAR;
  bool is_in_tag = m->tag_end > 0, is_value = false;
  // Of an element only the value's own end may stand before the name.
  for (int ends = 0; i < most && i < m->size;) {
    char c = m->text[i];
    size_t line = csec_next_line(m, i), name = 0, end = i;
    if (c == '{' || c == '}' || c == '[' || c == ']' || c == ')') return 0;
    if (line > i && begins_other(m, line)) return 0;
    if (c == '<' && !is_in_tag && csec_at(m, i + 1) != '/') name = name_of_element(m, i);
    if (c == '<' && !is_in_tag && csec_at(m, i + 1) == '/' && ++ends > 1) return 0;
    if ((c == '<' || c == '>') && is_in_tag) return 0;
    while (end < most && end < m->size && csec_is_key(m->text[end])) end++;
    if (end > i) name = name_of_pair(m, i, end, &is_value);
    if (name > 0 || is_value) return name;
    i = end > i ? end : i + 1;
  }
  return 0;
}

size_t csec_near_value_end(struct csec_masking *m, size_t i) {
  struct csec_stretches *stretches = m->stretches;
  size_t size = m->size;
  m->stretches = NULL;
  if (m->size > i + VALUE_MAX) m->size = i + VALUE_MAX;
  struct csec_secret_value value = csec_secret_value_at(m, i, '=', CSEC_SECRET_NAME);
  bool is_near = value.to < m->size;
  m->size = size;
  m->stretches = stretches;
  if (!is_near) return 0;
  while (csec_at(m, value.to) == '\\') value.to++;
  return csec_is_quote(csec_at(m, value.to)) ? value.to + 1 : value.to;
}
