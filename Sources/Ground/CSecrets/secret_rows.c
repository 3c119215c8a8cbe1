// Messages of databases about rows: the columns' names come before the values. Calls nothing but the rest of this
// folder: async-signal-safe.
#include "secret_scan.h"

enum { COLUMNS_MAX = 512, BLANKS_MAX = 16, FIELD_MAX = 512, BITS = 64 };

static size_t back_over_blanks(const struct csec_masking *m, size_t i) {
  size_t least = i > BLANKS_MAX ? i - BLANKS_MAX : 0;
  while (i > least && (uint8_t)m->text[i - 1] <= ' ') i--;
  return i;
}

// Where the columns begin whose ')' is at `close`; 0 if that is far.
static size_t columns_start(const struct csec_masking *m, size_t close) {
  size_t i = close, least = close > COLUMNS_MAX ? close - COLUMNS_MAX : 0, depth = 0;
  for (; i > least; i--) {
    if (m->text[i - 1] == ')') depth++;
    if (m->text[i - 1] == '(' && depth-- == 0) return i;
  }
  return 0;
}

// One bit for each column that is a secret, and the strongest reason for it.
static uint64_t secret_columns(const struct csec_masking *m, size_t from, size_t to, enum csec_secrecy *most) {
  uint64_t secrets = 0;
  *most = CSEC_NOT_SECRET;
  for (unsigned column = 0; from < to && column < BITS; column++) {
    size_t end = from;
    while (end < to && m->text[end] != ',') end++;
    enum csec_secrecy secrecy =
        end - from > CSEC_KEY_MAX ? CSEC_NOT_SECRET : csec_key_secrecy(m->text + from, end - from);
    if (secrecy > *most) *most = secrecy;
    if (secrecy > CSEC_PERHAPS_SECRET) secrets |= 1ull << column;
    from = end + 1;
  }
  return secrets;
}

static bool are_digits(const struct csec_masking *m, size_t from, size_t to) {
  return csec_digits_end(m, from, to) == to;
}

// "Key (tenant, token)=(3, x) already exists." of PostgreSQL, at the second '('.
static size_t read_key(struct csec_masking *m, size_t i) {
  if (i < 2 || m->text[i - 1] != '=' || m->text[i - 2] != ')') return i;
  enum csec_secrecy most;
  size_t start = columns_start(m, i - 2), end = i + 1;
  if (start == 0 || secret_columns(m, start, i - 2, &most) == 0) return i;
  while (end < m->size && end < i + FIELD_MAX && !csec_ends_line(m->text[end])
         && !(m->text[end] == ')' && csec_can_follow(csec_at(m, end + 1))))
    end++;
  bool is_number = most < CSEC_SECRET_NAME && are_digits(m, i + 1, end);
  return end > i + 1 && !is_number && !csec_is_masked(m, i + 1) ? csec_mask(m, i + 1, end) : i;
}

// Where the text in quotes begins that is the next secret field; the fields are read from m->rows.at on.
static void find_field(struct csec_masking *m) {
  struct csec_rows *rows = &m->rows;
  size_t most = rows->at + FIELD_MAX;
  rows->to = 0;
  for (size_t i = rows->at; i < m->size && i < most; i++) {
    char c = m->text[i];
    if (csec_is_quote(c)) {
      rows->from = i + 1;
      i = csec_quoted_end(m, i + 1, c, 0);
      if (rows->column >= BITS || !(rows->secrets >> rows->column & 1) || i == rows->from) continue;
      rows->to = i;
      rows->at = i + 1;
      return;
    }
    if (c == '(' && rows->depth++ == 0) rows->column = 0;
    if (c == ',' && rows->depth == 1) rows->column++;
    if (c == ')' && rows->depth > 0) rows->depth--;
    bool may_stand_between = (uint8_t)c <= ' ' || c == ',' || c == ')';
    if (rows->depth == 0 && !may_stand_between) break;
    rows->at = i + 1;
  }
}

// "(email, password) VALUES ('a', 'x'), ('b', 'y')" and "SET (email, password) = ('a', 'x')", at the second '('.
static void read_values(struct csec_masking *m, size_t i) {
  static const size_t size = sizeof "values" - 1;
  if (i < m->rows.at) return;
  size_t end = back_over_blanks(m, i);
  bool is_set = end > 0 && end < i && m->text[end - 1] == '=';
  if (!is_set && (end < size || !csec_is_word(m, end - size, end, "values"))) return;
  size_t close = back_over_blanks(m, is_set ? end - 1 : end - size);
  if (close == 0 || m->text[close - 1] != ')') return;
  enum csec_secrecy most;
  size_t start = columns_start(m, close - 1);
  if (start == 0) return;
  m->rows.secrets = secret_columns(m, start, close - 1, &most);
  m->rows.to = m->rows.column = m->rows.depth = 0;
  m->rows.at = i;
  if (m->rows.secrets != 0) find_field(m);
}

size_t csec_read_rows(struct csec_masking *m, size_t i) {
  read_values(m, i);
  return read_key(m, i);
}

size_t csec_read_field(struct csec_masking *m, size_t i) {
  size_t to = m->rows.to;
  find_field(m);
  return i < to && !csec_is_masked(m, i) ? csec_mask(m, i, to) : i;
}

// "Duplicate entry 'x' for key 'users.token'" of MySQL, at the blank behind "entry".
size_t csec_read_entry(struct csec_masking *m, size_t i) {
  static const char link[] = " for key ";
  char quote = csec_at(m, i + 1);
  if (!csec_is_quote(quote)) return i;
  size_t end = csec_quoted_end(m, i + 2, quote, 0), key = end + sizeof link, start = key;
  if (!csec_begins(m->text, m->size, end + 1, link) || !csec_is_quote(csec_at(m, key))) return i;
  for (start = ++key; key < m->size && key < start + CSEC_KEY_MAX && csec_is_key(m->text[key]); key++)
    if (m->text[key] == '.') start = key + 1;
  enum csec_secrecy secrecy = csec_key_secrecy(m->text + start, key - start);
  if (secrecy <= CSEC_PERHAPS_SECRET || (secrecy < CSEC_SECRET_NAME && are_digits(m, i + 2, end))) return i;
  return end > i + 2 && !csec_is_masked(m, i + 2) ? csec_mask(m, i + 2, end) : i;
}
