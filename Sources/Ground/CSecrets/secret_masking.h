#pragma once
// A text that is searched for secrets, its copy, and how its characters are read. Async-signal-safe.
#include "CSecrets.h"
#include "secret_gaps.h"
#include "secret_letters.h"
#include "secrets.h"

#pragma GCC visibility push(hidden)

/// The longest key, and the longest name that a key's value has.
enum { CSEC_KEY_MAX = 128 };

/// Whether the text holds a key in JSON, which "kty" shows, or a Secret of Kubernetes, which "kind" shows.
enum csec_key_type { CSEC_KEY_TYPE_UNKNOWN, CSEC_KEY_TYPE_HERE, CSEC_KEY_TYPE_NOWHERE };

/// What the text is searched for from many places. The values of keys that stand in one word end at the same place.
enum csec_sought {
  CSEC_LINE_END,
  CSEC_SPACE,
  CSEC_DIGIT,
  CSEC_NO_DIGIT,
  CSEC_SIGN,      // of a place, a pair or a call: '=', ':', '(', '.'
  CSEC_KEY_END,   // of a key in which '%' may stand
  CSEC_USER_END,  // the ':' or '%' behind a user
  CSEC_PAIR,      // '=', '&' or the line's end
  CSEC_DOUBLE_QUOTE,
  CSEC_SINGLE_QUOTE,
  CSEC_BACK_QUOTE,
  CSEC_PLAIN_END,          // the end of a value without quotes
  CSEC_PLAIN_END_IN_JSON,  // the same behind a key in quotes
  CSEC_HEADER_END,
  CSEC_HEADER_END_OF_PAIR,  // the same behind '='
  CSEC_OPTIONAL_END,        // the ')' of "Optional(x)", or the line's end
  CSEC_CLAUSE_END,          // read by csec_without_clause_end
  CSEC_BLOCK_END,           // read by csec_block_end
  CSEC_SOUGHT_COUNT,
};

/// Where a search began, and what it found.
struct csec_stretch {
  size_t from, to;
};

/// The last searches of one kind. For one key the ends of so many words are asked for: the value, the word behind its
/// scheme, and both of what it becomes.
enum { CSEC_STRETCHES = 4 };
struct csec_stretches {
  struct csec_stretch last[CSEC_STRETCHES];
  size_t count;
};

/// The rows of a statement: which of their columns are secrets, and the next field that is one.
struct csec_rows {
  uint64_t secrets;
  size_t at, from, to;
  unsigned column, depth;
};

/// The copy that is made, up to where of the text it goes, and what was read last.
struct csec_masking {
  const char *text;
  size_t size;
  char *room;
  size_t capacity, written;
  size_t kept;
  /// Up to where the copy goes. What is behind only shows what the text before means.
  size_t shown;
  /// One for each byte of the text if credentials are marked, and no copy is made.
  bool *marks;
  /// The last word that may be a key; what may stand between it and its value has been read if `is_closed`.
  size_t key_start, key_end;
  bool is_closed, is_quoted;
  /// The text is the name of a function or a path: there are no pairs in it.
  bool is_name;
  /// What the text last named as a key whose value follows elsewhere, and where: `{"name": "password", "value": "x"}`.
  enum csec_secrecy named;
  size_t named_at;
  /// What is known of that name: it belongs to the object that is read now, stands behind "- ", is a session's. A name
  /// at `taken_at` belongs to the value before it.
  bool has_name, is_item, is_session;
  size_t taken_at;
  /// The lines that dump() put below a secret's key.
  size_t dumped_from, dumped_to;
  /// Behind "HTTPCookie" as Foundation shows it; 0 if there was none.
  size_t cookie_end;
  /// Up to where a statement of SQL may hold a password.
  size_t statement_end;
  /// Behind a gap or a character in percent encoding: a token may begin here.
  size_t gap_start, gap_end;
  /// The token in the path of the last URL.
  size_t token_from, token_to;
  /// Up to where rules of Redis' users may hold passwords.
  size_t rules_end;
  /// The name of the tag that was opened last, without its namespace. `tag_end` is 0 outside of tags.
  size_t tag_start, tag_end;
  /// The word around the last URL, and its last '@'.
  size_t word_end, last_at;
  /// The last searches of each kind; NULL if only a part of the text is looked at.
  struct csec_stretches *stretches;
  struct csec_rows rows;
  enum csec_key_type key_type, kind;
  /// The last command of this line that has a password among its options.
  const void *program;
};

struct csec_secret_value {
  size_t from, to;
  bool is_quoted, is_spaced;
};

/// A list or an object up to its bracket, how many texts it holds, and whether one is not empty. The end is 0 if it is
/// not closed.
struct csec_group {
  size_t end, texts;
  bool has_content;
};

/// A value within what wraps it. If `to` is 0, it is read as any other.
struct csec_wrapped {
  size_t from, to;
};

static inline char csec_at(const struct csec_masking *m, size_t i) { return i < m->size ? m->text[i] : 0; }

/// The character at `i` and its size in the text, decoded if it is in percent encoding, or a quote that is written in
/// another way. 0 for bytes beyond ASCII.
static inline char csec_decoded_at(const struct csec_masking *m, size_t i, size_t *size) {
  *size = 1;
  if (i >= m->size) return 0;
  char c = m->text[i];
  size_t quote = c == '&' || c == '\\' ? csec_written_quote(m->text, m->size, i) : 0;
  if (quote > 0) {
    *size = quote;
    return '"';
  }
  if (c != '%' || i + 2 >= m->size) return c;
  int decoded = csec_percent_decoded(m->text + i);
  if (decoded < 0) return '%';
  *size = 3;
  return decoded < 0x80 ? (char)decoded : 0;
}

/// Whether a line begins at `i`, perhaps behind a colour. A text in quotes begins as a line does.
static inline bool csec_begins_line(const struct csec_masking *m, size_t i) {
  i = csec_before_gaps(m->text, i);
  bool is_written = csec_follows_written_end(m->text, i) && m->text[i - 1] != 't';
  return i == 0 || csec_ends_line(m->text[i - 1]) || csec_is_quote(m->text[i - 1]) || is_written;
}

/// Whether the line that ends at `i` goes on behind a backslash, as in a shell.
static inline bool csec_goes_on(const struct csec_masking *m, size_t i) {
  if (i > 0 && m->text[i] == '\n' && m->text[i - 1] == '\r') i--;
  return i > 0 && m->text[i - 1] == '\\';
}

/// Whether the line, or the text, ends at `i`, perhaps behind a colour.
static inline bool csec_is_line_end(const struct csec_masking *m, size_t i) {
  i = csec_behind_gaps(m->text, m->size, i);
  return i >= m->size || csec_ends_line(m->text[i]);
}

/// Behind the line end at `i`; `i` if there is none.
static inline size_t csec_next_line(const struct csec_masking *m, size_t i) {
  if (csec_at(m, i) == '\r') i++;
  return csec_at(m, i) == '\n' ? i + 1 : i;
}

/// The same, also for a line end that is written as "\\r\\n" or "\\n".
static inline size_t csec_next_shown_line(const struct csec_masking *m, size_t i) {
  size_t end = csec_begins(m->text, m->size, i, "\\r") ? i + 2 : i;
  return csec_begins(m->text, m->size, end, "\\n") ? end + 2 : csec_next_line(m, i);
}

/// Whether the text at `i` was masked before.
static inline bool csec_is_masked(const struct csec_masking *m, size_t i) {
  return csec_begins(m->text, m->size, i, CSEC_SECRET_MASK);
}

/// Behind the blanks at `i`.
static inline size_t csec_skip_blanks(const struct csec_masking *m, size_t i) {
  while (csec_is_blank(csec_at(m, i))) i++;
  return i;
}

/// The size of a blank or a gap at `i`; 0 if there is none.
static inline size_t csec_blank_size(const struct csec_masking *m, size_t i) {
  size_t length = 1;
  if (csec_is_blank(csec_at(m, i))) return length;
  return csec_gap_at(m->text, m->size, i, &length) != CSEC_NO_GAP ? length : 0;
}

static inline size_t csec_find(const struct csec_masking *m, size_t i, bool (*ends)(char)) {
  while (i < m->size && !ends(m->text[i])) i++;
  return i;
}

/// Whether the bytes are this word, in either case.
static inline bool csec_is_word(const struct csec_masking *m, size_t from, size_t to, const char *word) {
  for (; from < to && *word; from++, word++)
    if ((m->text[from] | 0x20) != *word) return false;
  return from == to && !*word;
}

static inline bool csec_is_word_of(const struct csec_masking *m, size_t from, size_t to, const char *const *words) {
  for (; *words; words++)
    if (csec_is_word(m, from, to, *words)) return true;
  return false;
}

#pragma GCC visibility pop
