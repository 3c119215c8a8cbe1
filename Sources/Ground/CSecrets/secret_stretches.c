// The position of the next character of a kind. Hostile texts make the search ask for the same position many times, so
// each part is read once, and the whole text takes linear time. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

static bool is_sign(char c) { return c == '=' || c == ':' || c == '(' || c == '.'; }

// Whether '&' or ';' before `i` ends a pair: another pair or nothing follows.
static bool separates(const struct csec_masking *m, size_t i) {
  char c = csec_at(m, i);
  if ((uint8_t)c <= ' ' || csec_is_quote(c)) return true;
  size_t end = csec_next(m, i, CSEC_KEY_END);
  return end > i && csec_at(m, end) == '=';
}

static bool ends_plain(const struct csec_masking *m, size_t i) {
  char c = m->text[i];
  if ((uint8_t)c <= ' ' || c == 0x7f) return true;
  if (c == '&' && csec_written_quote(m->text, m->size, i) > 0) return true;
  if (c == '&' || c == ';') return separates(m, i + 1);
  if (csec_is_quote(c) || c == '<' || c == '>') return csec_can_follow(csec_at(m, i + 1));
  // "%26" and "%22"
  size_t size;
  char decoded = c == '%' || c == '\\' ? csec_decoded_at(m, i, &size) : 0;
  return decoded == '&' ? separates(m, i + 3) : decoded == '"';
}

// "\n" and "\r" as programs write them end a header too.
static bool ends_header(const struct csec_masking *m, size_t i) {
  char c = m->text[i], next = csec_at(m, i + 1);
  return csec_ends_line(c) || (c == '\\' && (next == 'n' || next == 'r'));
}

static bool is_sought(const struct csec_masking *m, size_t i, enum csec_sought sought) {
  char c = m->text[i];
  switch (sought) {
    case CSEC_LINE_END: return csec_ends_line(c);
    case CSEC_SPACE: return (uint8_t)c <= ' ';
    case CSEC_DIGIT: return csec_is_number(c);
    case CSEC_NO_DIGIT: return !csec_is_number(c);
    case CSEC_SIGN: return is_sign(c);
    case CSEC_KEY_END: return !csec_is_key(c) && c != '%';
    case CSEC_USER_END: return c == ':' || c == '%';
    case CSEC_PAIR: return c == '=' || c == '&' || csec_ends_line(c);
    case CSEC_DOUBLE_QUOTE: return c == '"';
    case CSEC_SINGLE_QUOTE: return c == '\'';
    case CSEC_BACK_QUOTE: return c == '`';
    case CSEC_PLAIN_END: return ends_plain(m, i);
    // {"pin": 1234, "n": 1}
    case CSEC_PLAIN_END_IN_JSON: return c == ',' || c == '}' || c == ']' || ends_plain(m, i);
    case CSEC_HEADER_END: return ends_header(m, i);
    case CSEC_HEADER_END_OF_PAIR: return ends_header(m, i) || (csec_is_quote(c) && csec_can_follow(csec_at(m, i + 1)));
    case CSEC_OPTIONAL_END: return csec_ends_line(c) || (c == ')' && csec_can_follow(csec_at(m, i + 1)));
    default: return true;
  }
}

// The search that passed `i` before; NULL if there is none.
static const struct csec_stretch *known(const struct csec_masking *m, size_t i, enum csec_sought sought) {
  if (!m->stretches) return NULL;
  const struct csec_stretch *last = m->stretches[sought].last;
  for (size_t k = 0; k < CSEC_STRETCHES; k++)
    if (i >= last[k].from && i < last[k].to) return &last[k];
  return NULL;
}

static size_t remember(const struct csec_masking *m, size_t from, size_t to, enum csec_sought sought) {
  if (!m->stretches) return to;
  struct csec_stretches *stretches = &m->stretches[sought];
  stretches->last[stretches->count++ % CSEC_STRETCHES] = (struct csec_stretch){from, to};
  return to;
}

size_t csec_next(const struct csec_masking *m, size_t i, enum csec_sought sought) {
  const struct csec_stretch *before = known(m, i, sought);
  if (before) return before->to;
  size_t end = i;
  while (end < m->size && !is_sought(m, end, sought)) end++;
  return end == i ? end : remember(m, i, end, sought);
}

static bool ends_clause(char c) { return c == '.' || c == ',' || c == ')' || c == ';'; }

size_t csec_without_clause_end(const struct csec_masking *m, size_t from, size_t to) {
  const struct csec_stretch *before = to > from ? known(m, to - 1, CSEC_CLAUSE_END) : NULL;
  if (before && before->to == to && before->from > from) return before->from;
  size_t end = to;
  while (end > from && ends_clause(m->text[end - 1])) end--;
  if (end < to) remember(m, end, to, CSEC_CLAUSE_END);
  return end;
}

// The first line behind `i` that is not empty.
static size_t full_line(const struct csec_masking *m, size_t i) {
  while (csec_next_line(m, i) > i) i = csec_next_line(m, i);
  return i;
}

size_t csec_block_end(const struct csec_masking *m, size_t i) {
  const struct csec_stretch *before = known(m, i, CSEC_BLOCK_END);
  size_t from = i;
  if (before) return before->to;
  while (true) {
    i = csec_next(m, i, CSEC_LINE_END);
    size_t line = full_line(m, i);
    if (line == i || !csec_is_blank(csec_at(m, line))) break;
    i = line;
  }
  return remember(m, from, i, CSEC_BLOCK_END);
}
