// Where the value of a secret key begins and ends. Calls nothing but itself: async-signal-safe.
#include "secret_scan.h"

// A closing quote or bracket is looked for this far beyond the end of its line.
enum { LINES_MAX = 512 };

static bool ends_line_or_text(const struct csec_masking *m, size_t i) {
  return i >= m->size || csec_ends_line(m->text[i]);
}

// --- Ends ------------------------------------------------------------------------------------------------------

static size_t plain_end(const struct csec_masking *m, size_t i) {
  return csec_next(m, i, m->is_quoted ? CSEC_PLAIN_END_IN_JSON : CSEC_PLAIN_END);
}

// "Bearer abc": the scheme alone is no secret.
size_t csec_plain_value_end(const struct csec_masking *m, size_t i) {
  static const char *const schemes[] = {"bearer", "basic", "token", "digest", "negotiate", NULL};
  size_t end = plain_end(m, i);
  if (!csec_is_word_of(m, i, end, schemes) || csec_at(m, end) != ' ') return end;
  return plain_end(m, end + 1);
}

// 'it''s': two quotes inside of a text are one of its characters.
static bool doubles(const struct csec_masking *m, size_t i, size_t first, bool is_inside) {
  if (i == first || csec_at(m, i + 1) != m->text[i]) return false;
  return !csec_can_follow(csec_at(m, i + 2)) || (is_inside && csec_is_blank(csec_at(m, i + 2)));
}

size_t csec_quoted_end(const struct csec_masking *m, size_t i, char quote, size_t escapes) {
  size_t line_end = 0, slashes = 0, first = i;
  bool is_inside = false;
  for (; i < m->size && (line_end == 0 || i < line_end + LINES_MAX); i++) {
    char c = m->text[i];
    bool is_doubled = c == quote && escapes == 0 && slashes % 2 == 0 && doubles(m, i, first, is_inside);
    if (is_doubled) {
      is_inside = !is_inside;
      i++;
      slashes = 0;
      continue;
    }
    if (c == quote && (escapes > 0 ? slashes <= escapes : slashes % 2 == 0)) return escapes > 0 ? i - slashes : i;
    slashes = c == '\\' ? slashes + 1 : 0;
    if (line_end == 0 && csec_ends_line(c)) line_end = i;
  }
  return line_end > 0 ? line_end : i;
}

// "[a, b]": brackets inside of texts do not count.
static size_t bracket_end(const struct csec_masking *m, size_t i) {
  // JSON over many lines: what is not closed is masked as far as it goes.
  bool is_block = m->is_quoted && ends_line_or_text(m, csec_skip_blanks(m, i + 1));
  size_t most = is_block ? CSEC_SECRET_TEXT_MAX : LINES_MAX, end = csec_group_at(m, i, most).end;
  if (end > 0) return end;
  if (is_block) return m->size - i > most ? i + most : m->size;
  return csec_next(m, i, CSEC_LINE_END);
}

// "{sw}}ordfish}" of ODBC, whose braces inside are doubled: behind the last one; `i` if it is no such value.
static size_t odbc_end(const struct csec_masking *m, size_t i) {
  bool has_double = false;
  for (size_t end = i + 1; end < i + LINES_MAX && !ends_line_or_text(m, end); end++) {
    if (m->text[end] != '}') continue;
    char next = csec_at(m, end + 1);
    if (next != '}') return has_double && (end + 1 == m->size || csec_can_follow(next)) ? end + 1 : i;
    has_double = true;
    end++;
  }
  return i;
}

static size_t header_end(const struct csec_masking *m, size_t i, char sign) {
  size_t start = m->key_start, escapes = 0;
  char before = start > 0 ? m->text[start - 1] : 0;
  if (csec_is_quote(before)) {
    while (start > escapes + 1 && m->text[start - 2 - escapes] == '\\') escapes++;
    return csec_quoted_end(m, i, before, escapes);
  }
  return csec_next(m, i, sign == '=' ? CSEC_HEADER_END_OF_PAIR : CSEC_HEADER_END);
}

// --- Other lines -------------------------------------------------------------------------------------------------

// Whether a word that looks random begins at `i`, and is all of its line.
static bool is_sole_random(const struct csec_masking *m, size_t i) {
  size_t end = i;
  while (end < m->size && end < i + CSEC_KEY_MAX && (uint8_t)m->text[end] > ' ') end++;
  return csec_is_line_end(m, end) && csec_looks_random(m, i, end, false);
}

// The first character of a value on the line after `i`; 0 if that line holds something else.
static size_t value_on_next_line(const struct csec_masking *m, size_t i) {
  size_t line = csec_next_line(m, i), start = csec_skip_blanks(m, line), end = start;
  if (line == i || ends_line_or_text(m, start)) return 0;
  if (start == line && !csec_is_quote(m->text[start]) && !is_sole_random(m, start)) return 0;
  if (csec_is_quote(m->text[end])) end++;
  while (end < m->size && csec_is_key(m->text[end])) end++;
  if (csec_is_quote(csec_at(m, end))) end++;
  end = csec_skip_blanks(m, end);
  return csec_at(m, end) == '=' || csec_at(m, end) == ':' ? 0 : start;
}

// --- Quotes ------------------------------------------------------------------------------------------------------

static bool is_triple(const struct csec_masking *m, size_t i) {
  char quote = csec_at(m, i);
  return csec_is_quote(quote) && csec_at(m, i + 1) == quote && csec_at(m, i + 2) == quote;
}

// """x""": the first and the last line end are no part of it.
static struct csec_secret_value triple_quoted(const struct csec_masking *m, size_t i) {
  char quote = m->text[i];
  size_t from = csec_next_line(m, i + 3), end = from;
  while (end < m->size && end < from + CSEC_SECRET_TEXT_MAX && !(m->text[end] == quote && is_triple(m, end))) end++;
  while (end > from && csec_ends_line(m->text[end - 1])) end--;
  return (struct csec_secret_value){from, end, .is_quoted = true};
}

// ""x"", as a text in quotes writes its own quotes.
static bool is_twice(const struct csec_masking *m, size_t i) {
  char quote = csec_at(m, i);
  return csec_is_quote(quote) && csec_at(m, i + 1) == quote && !csec_can_follow(csec_at(m, i + 2));
}

static struct csec_secret_value twice_quoted(const struct csec_masking *m, size_t i) {
  char quote = m->text[i];
  size_t end = i + 2;
  while (!ends_line_or_text(m, end) && m->text[end] != quote) end++;
  return (struct csec_secret_value){i + 2, end, .is_quoted = true};
}

// “my secret”, „my secret“, «my secret», ‘my secret’: the size of the sign that opens or closes the text, in UTF-8.
// 0 for another character.
static size_t typographic_size(const struct csec_masking *m, size_t i, bool opens) {
  char first = csec_at(m, i), second = csec_at(m, i + 1), third = csec_at(m, i + 2);
  if (first == '\xc2') return second == (opens ? '\xab' : '\xbb') ? 2 : 0;
  if (first != '\xe2' || second != '\x80') return 0;
  if (opens) return third == '\x98' || third == '\x9c' || third == '\x9e' ? 3 : 0;
  return third == '\x99' || third == '\x9c' || third == '\x9d' ? 3 : 0;
}

size_t csec_closing_size(const struct csec_masking *m, size_t i) {
  size_t written = csec_written_quote(m->text, m->size, i);
  return written > 0 ? written : typographic_size(m, i, false);
}

// The value in typographic quotes at `i`; empty if it is in none.
static struct csec_secret_value typographic_value(const struct csec_masking *m, size_t i) {
  size_t from = i + typographic_size(m, i, true), end = from;
  if (from == i) return (struct csec_secret_value){0};
  for (; end < from + LINES_MAX && !ends_line_or_text(m, end); end++)
    if (typographic_size(m, end, false) > 0) return (struct csec_secret_value){from, end, .is_quoted = true};
  return (struct csec_secret_value){0};
}

// Where the quote of this spelling closes that stands before `from`: %22, &quot;. `from` if it does not on this line.
static size_t written_end(const struct csec_masking *m, size_t from, size_t size) {
  for (size_t end = from; end < from + LINES_MAX && !ends_line_or_text(m, end); end++) {
    size_t i = 0;
    while (i < size && csec_at(m, end + i) == m->text[from - size + i]) i++;
    if (i == size) return end;
  }
  return from;
}

// --- The value -----------------------------------------------------------------------------------------------------

// "password=ab cd" in quotes as a whole: up to the closing one, if no other pair stands before it.
static size_t outer_end(const struct csec_masking *m, size_t end) {
  char before = m->key_start > 0 ? m->text[m->key_start - 1] : 0;
  if (m->is_quoted || !csec_is_quote(before) || csec_at(m, end) != ' ') return end;
  enum csec_sought single = before == '`' ? CSEC_BACK_QUOTE : CSEC_SINGLE_QUOTE;
  size_t close = csec_next(m, end, before == '"' ? CSEC_DOUBLE_QUOTE : single);
  if (close >= m->size || close > csec_next(m, end, CSEC_PAIR)) return end;
  return m->text[close - 1] == '\\' ? close - 1 : close;
}

static size_t unquoted_end(const struct csec_masking *m, size_t i, char sign, enum csec_secrecy secrecy) {
  bool is_list = csec_at(m, i) == '[' || csec_at(m, i) == '{';
  size_t list_end = is_list ? bracket_end(m, i) : i;
  size_t odbc = is_list && sign == '=' && m->text[i] == '{' ? odbc_end(m, i) : i;
  if (odbc > list_end) return odbc;
  if (is_list && (m->is_quoted || secrecy != CSEC_SECRET_HEADER)) return list_end;
  if (secrecy == CSEC_SECRET_HEADER) {
    size_t end = header_end(m, i, sign);
    return end > list_end ? end : list_end;
  }
  size_t end = csec_plain_value_end(m, i);
  return outer_end(m, csec_later_words_end(m, i, end, secrecy));
}

static size_t skip_any_blanks(const struct csec_masking *m, size_t i) {
  size_t size;
  while (csec_decoded_at(m, i, &size) == ' ' && size == 3) i += 3;
  while ((size = csec_blank_size(m, i)) > 0) i += size;
  return i;
}

// "&anchor x" and "!tag x" of YAML, as a whole.
static struct csec_secret_value tagged_value(const struct csec_masking *m, size_t i, size_t node,
                                             enum csec_secrecy secrecy) {
  struct csec_secret_value value = csec_secret_value_at(m, node, ':', secrecy);
  bool has_quote = value.is_quoted && csec_is_quote(csec_at(m, value.to));
  return (struct csec_secret_value){i, has_quote ? value.to + 1 : value.to, .is_quoted = true};
}

struct csec_secret_value csec_secret_value_at(const struct csec_masking *m, size_t i, char sign,
                                              enum csec_secrecy secrecy) {
  size_t length = 0;
  bool is_gap = csec_gap_at(m->text, m->size, i, &length) == CSEC_GAP_BLANK;
  struct csec_secret_value value = {.is_spaced = is_gap || csec_is_blank(csec_at(m, i))};
  i = skip_any_blanks(m, i);
  size_t node = sign == ':' && value.is_spaced ? csec_node_start(m, i, secrecy) : i;
  if (node > i) return tagged_value(m, i, node, secrecy);
  size_t block = csec_block_start(m, i);
  if (block == 0 && ends_line_or_text(m, i) && secrecy >= CSEC_SECRET_NAME) {
    size_t next = value_on_next_line(m, i);
    if (next > 0) i = next;
    if (next > 0 && m->text[i] == '-' && csec_is_blank(csec_at(m, i + 1))) block = i;
  }
  if (block > 0) return (struct csec_secret_value){block, csec_block_end(m, block), .is_quoted = true};
  struct csec_wrapped wrapped = csec_unwrapped(m, i, secrecy);
  if (wrapped.to > 0) return (struct csec_secret_value){wrapped.from, wrapped.to, .is_quoted = true};
  i = wrapped.from;
  struct csec_secret_value typographic = typographic_value(m, i);
  if (typographic.to > 0) return typographic;
  if (is_triple(m, i)) return triple_quoted(m, i);
  if (is_twice(m, i)) return twice_quoted(m, i);
  size_t escapes = 0, size;
  while (csec_at(m, i + escapes) == '\\') escapes++;
  if (escapes > 0 && csec_is_quote(csec_at(m, i + escapes)))
    i += escapes;
  else
    escapes = 0;
  char quote = csec_decoded_at(m, i, &size);
  value.is_quoted = csec_is_quote(quote);
  value.from = value.is_quoted ? i + size : i;
  // A private key has many lines.
  size_t token = value.from, token_end = token < m->size ? csec_token_end(m->text, m->size, &token) : 0;
  if (value.is_quoted && size == 1)
    value.to = csec_quoted_end(m, i + 1, quote, escapes);
  else if (value.is_quoted)
    value.to = written_end(m, value.from, size);
  if (value.to <= value.from && !(value.is_quoted && size == 1)) value.to = unquoted_end(m, value.from, sign, secrecy);
  if (token_end > token && token_end > value.to) value.to = token_end;
  return value;
}
