// The output of Swift's dump(): a key after "▿ ", and the parts of its value on the lines below. Calls nothing but the
// rest of this folder: async-signal-safe.
#include "secret_scan.h"

enum { BLANKS_MAX = 64 };

static const char mark[] = "\xe2\x96\xbf ";
enum { MARK_SIZE = sizeof mark - 1 };

bool csec_is_dumped(const struct csec_masking *m) {
  return m->key_start >= MARK_SIZE && csec_begins(m->text, m->size, m->key_start - MARK_SIZE, mark);
}

// Behind the lines that follow the one at `i` and begin with more blanks than `least`.
static size_t block_end(const struct csec_masking *m, size_t i, size_t least) {
  while (true) {
    i = csec_next(m, i, CSEC_LINE_END);
    size_t line = csec_next_line(m, i);
    if (line == i || csec_skip_blanks(m, line) - line <= least) return i;
    i = line;
  }
}

// "▿ password: …": the value follows on the next lines, after "- some:". Another such line ends it.
void csec_read_dumped(struct csec_masking *m, enum csec_secrecy secrecy) {
  if (!csec_is_dumped(m)) return;
  m->named = secrecy;
  m->named_at = m->key_end;
  size_t start = m->key_start - MARK_SIZE, blanks = 0;
  if (secrecy < CSEC_SECRET_TOKEN || start < m->dumped_to) return;
  while (blanks < BLANKS_MAX && blanks < start && csec_is_blank(m->text[start - blanks - 1])) blanks++;
  m->dumped_from = csec_next(m, m->key_end, CSEC_LINE_END);
  m->dumped_to = block_end(m, m->dumped_from, blanks);
}

bool csec_is_dumped_type(const struct csec_masking *m, const struct csec_secret_value *value) {
  if (value->is_quoted || !csec_is_dumped(m) || m->dumped_to <= m->dumped_from || value->to != m->dumped_from)
    return false;
  for (size_t i = value->from; i < value->to; i++)
    if (!csec_is_key(m->text[i])) return false;
  return true;
}

// `- "x"`, `- rawValue: "x"`
size_t csec_read_dumped_text(struct csec_masking *m, size_t i) {
  if (i < m->dumped_from || i < 2 || m->text[i - 1] != ' ') return i;
  if (m->text[i - 2] != '-' && m->text[i - 2] != ':') return i;
  size_t end = csec_quoted_end(m, i + 1, m->text[i], 0);
  return end > i + 1 ? csec_mask(m, i + 1, end) : i;
}
