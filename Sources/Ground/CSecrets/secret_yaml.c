// Values of YAML: blocks of lines, and marks before a value. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

enum { COMMENT_MAX = 256 };

// --- Blocks --------------------------------------------------------------------------------------------------------

// The first line behind `i` that is not empty.
static size_t full_line(const struct csec_masking *m, size_t i) {
  while (csec_next_line(m, i) > i) i = csec_next_line(m, i);
  return i;
}

size_t csec_block_start(const struct csec_masking *m, size_t i) {
  if (csec_at(m, i) != '|' && csec_at(m, i) != '>') return 0;
  size_t end = i + 1;
  while (end < i + 3 && (csec_at(m, end) == '-' || csec_at(m, end) == '+' || csec_is_number(csec_at(m, end)))) end++;
  size_t comment = csec_skip_blanks(m, end);
  if (csec_at(m, comment) == '#')
    while (comment < end + COMMENT_MAX && comment < m->size && !csec_ends_line(m->text[comment])) comment++;
  size_t line = full_line(m, comment);
  return line > comment && csec_is_blank(csec_at(m, line)) ? csec_skip_blanks(m, line) : 0;
}

// --- Anchors and tags ----------------------------------------------------------------------------------------------

// Behind "&anchor", "!tag", "!!str" or "!<tag:x>" at `i`, if a blank or a line end follows; `i` if there is none.
static size_t property_end(const struct csec_masking *m, size_t i) {
  char mark = csec_at(m, i), next = csec_at(m, i + 1);
  bool is_anchor = mark == '&' && csec_is_key(next);
  bool is_tag = mark == '!' && (csec_is_key(next) || next == '!' || next == '<' || csec_is_blank(next));
  if (!is_anchor && !is_tag) return i;
  size_t end = i + 1;
  while (end < m->size && end < i + CSEC_KEY_MAX && (uint8_t)m->text[end] > ' ') end++;
  return csec_is_blank(csec_at(m, end)) || csec_ends_line(csec_at(m, end)) ? end : i;
}

// Whether only blanks, quotes and "- " stand between the begin of the line and the key.
static bool begins_line(const struct csec_masking *m) {
  size_t i = m->key_start;
  while (i > 0 && (csec_is_blank(m->text[i - 1]) || csec_is_quote(m->text[i - 1]) || m->text[i - 1] == '-')) i--;
  return i == 0 || csec_ends_line(m->text[i - 1]);
}

size_t csec_node_start(const struct csec_masking *m, size_t i, enum csec_secrecy secrecy) {
  size_t end = property_end(m, i);
  // "&quot;x&quot;" is no anchor.
  if (end == i || csec_written_quote(m->text, m->size, i) > 0 || (secrecy < CSEC_SECRET_NAME && !begins_line(m)))
    return i;
  for (size_t next = i; end > next; end = property_end(m, next)) next = i = csec_skip_blanks(m, end);
  return i;
}
