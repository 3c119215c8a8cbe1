// Calls nothing but secrets.c: async-signal-safe. SecretText.swift has the same rules; a test holds both to one table.
#include "record/secret_text.h"

#include "record/secret_tokens.h"
#include "record/secrets.h"

enum { KEY_MAX = 128, SHORTEST_SPACED_VALUE = 4, RANDOM_LENGTH = 20 };

// The copy that is made, up to where of the text it goes, and what was read last.
struct masking {
  const char *text;
  size_t size;
  char *room;
  size_t capacity, written;
  size_t kept;
  // The last word that may be a key; what may stand between it and its value has been read if `is_closed`.
  size_t key_start, key_end;
  bool is_closed, is_quoted;
  // The word around the last URL, and its last '@'.
  size_t word_end, last_at;
};

CK_NO_LIBC static void put(struct masking *m, const char *bytes, size_t size) {
  size_t room = m->capacity - m->written;
  if (size > room) size = room;
  ck_copy(m->room + m->written, bytes, size);
  m->written += size;
}

// Returns where to read on.
static size_t mask(struct masking *m, size_t from, size_t to) {
  put(m, m->text + m->kept, from - m->kept);
  put(m, CK_SECRET_MASK, sizeof CK_SECRET_MASK - 1);
  m->kept = to;
  m->key_end = 0;
  return to;
}

static char at(const struct masking *m, size_t i) { return i < m->size ? m->text[i] : 0; }
static bool is_space(char c) { return c == ' ' || c == '\t'; }
static bool is_quote(char c) { return c == '"' || c == '\''; }
static bool ends_line(char c) { return c == '\n' || c == '\r'; }
static bool ends_word(char c) {
  return (uint8_t)c <= ' ' || c == 0x7f || is_quote(c) || c == '`' || c == '<' || c == '>';
}
static bool ends_value(char c) { return ends_word(c) || c == '&' || c == ';'; }

static size_t find(const struct masking *m, size_t i, bool (*ends)(char)) {
  while (i < m->size && !ends(m->text[i])) i++;
  return i;
}

// --- URLs ------------------------------------------------------------------------------------------------------

static bool ends_authority(char c) { return ends_word(c) || c == '/' || c == '?' || c == '#'; }

static size_t last_at_before(const struct masking *m, size_t start, size_t end) {
  for (size_t i = end; i > start; i--)
    if (m->text[i - 1] == '@') return i - 1;
  return start;
}

// Whether what follows the first ':' is no port: a password with a '/' in it, which it should not have.
static bool has_open_password(const struct masking *m, size_t start, size_t end) {
  size_t colon = start;
  while (colon < end && m->text[colon] != ':') colon++;
  if (colon == end || m->text[start] == '[') return false;
  for (size_t i = colon + 1; i < end; i++)
    if (m->text[i] < '0' || m->text[i] > '9') return true;
  return false;
}

// Behind "://" at `i`.
static size_t read_url(struct masking *m, size_t i) {
  size_t start = i + 3, end = find(m, start, ends_authority), sign = last_at_before(m, start, end);
  m->key_end = 0;
  if (sign == start && has_open_password(m, start, end)) {
    if (m->word_end <= start) {
      m->word_end = find(m, end, ends_word);
      m->last_at = last_at_before(m, end, m->word_end);
    }
    if (at(m, m->last_at) == '@' && m->last_at > start) sign = m->last_at;
  }
  return sign > start ? mask(m, start, sign) : start;
}

// --- Keys and values -------------------------------------------------------------------------------------------

static bool is_word(const struct masking *m, size_t from, size_t to, const char *word) {
  for (; from < to && *word; from++, word++)
    if ((m->text[from] | 0x20) != *word) return false;
  return from == to && !*word;
}

static bool is_one_of(const struct masking *m, size_t from, size_t to, const char *const *words) {
  for (; *words; words++)
    if (is_word(m, from, to, *words)) return true;
  return false;
}

// What says that there is no secret.
static bool is_nothing(const struct masking *m, size_t from, size_t to) {
  static const char *const words[] = {"nil", "null", "none", "true", "false", "undefined", NULL};
  return from == to || is_one_of(m, from, to, words);
}

static bool has_digit(const struct masking *m, size_t from, size_t to) {
  for (; from < to; from++)
    if (m->text[from] >= '0' && m->text[from] <= '9') return true;
  return false;
}

struct value {
  size_t from, to;
  bool is_quoted, is_spaced;
};

static size_t quoted_end(const struct masking *m, size_t i, char quote, bool is_escaped) {
  for (; i < m->size && m->text[i] != quote && !ends_line(m->text[i]); i++)
    if (m->text[i] == '\\' && !is_escaped && i + 1 < m->size) i++;
  return is_escaped && i > 0 && m->text[i - 1] == '\\' ? i - 1 : i;
}

static bool ends_header(char c) { return ends_line(c) || is_quote(c); }

// "Bearer abc": the scheme alone is no secret.
static size_t plain_end(const struct masking *m, size_t i) {
  static const char *const schemes[] = {"bearer", "basic", "token", "digest", "negotiate", NULL};
  size_t end = find(m, i, ends_value);
  if (!is_one_of(m, i, end, schemes) || at(m, end) != ' ') return end;
  return find(m, end + 1, ends_value);
}

static struct value value_at(const struct masking *m, size_t i, enum ck_secrecy secrecy) {
  struct value value = {.is_spaced = is_space(at(m, i))};
  while (is_space(at(m, i))) i++;
  bool is_escaped = at(m, i) == '\\' && is_quote(at(m, i + 1));
  if (is_escaped) i++;
  value.is_quoted = is_quote(at(m, i));
  value.from = value.is_quoted ? i + 1 : i;
  // A private key has many lines.
  size_t token = value.from, token_end = token < m->size ? ck_token_end(m->text, m->size, &token) : 0;
  if (value.is_quoted)
    value.to = quoted_end(m, i + 1, m->text[i], is_escaped);
  else if (secrecy == CK_SECRET_HEADER)
    value.to = find(m, i, ends_header);
  else if (at(m, i) == '[' || at(m, i) == '{')
    value.to = find(m, i, ends_line);
  else
    value.to = plain_end(m, i);
  if (token_end > token && token_end > value.to) value.to = token_end;
  return value;
}

// "Auth.swift:12"
static bool is_line_number(const struct masking *m, const struct value *value) {
  bool has_dot = false;
  for (size_t i = m->key_start; i < m->key_end; i++) has_dot |= m->text[i] == '.';
  return has_dot && !value->is_spaced && at(m, value->from) >= '0' && at(m, value->from) <= '9';
}

// Sentences have colons too: "unexpected token: else".
static bool is_prose(const struct masking *m, const struct value *value, enum ck_secrecy secrecy) {
  if (m->is_quoted || value->is_quoted) return false;
  if (secrecy == CK_SECRET_WORD || is_line_number(m, value)) return true;
  if (!value->is_spaced || secrecy == CK_SECRET_HEADER) return false;
  size_t size = value->to - value->from;
  if (size < SHORTEST_SPACED_VALUE) return true;
  return secrecy == CK_SECRET_TOKEN && size < RANDOM_LENGTH && !has_digit(m, value->from, value->to);
}

// A signature in the query of a URL opens what the URL names.
static bool is_signature(const struct masking *m) {
  static const char *const words[] = {"sig", "signature", NULL};
  char before = m->key_start > 0 ? m->text[m->key_start - 1] : 0;
  return (before == '?' || before == '&') && is_one_of(m, m->key_start, m->key_end, words);
}

// At the '=' or ':' behind a key.
static size_t read_value(struct masking *m, size_t i) {
  char sign = m->text[i];
  size_t start = m->key_end - m->key_start > KEY_MAX ? m->key_end - KEY_MAX : m->key_start;
  enum ck_secrecy secrecy = ck_key_secrecy(m->text + start, m->key_end - start);
  if (secrecy == CK_NOT_SECRET && sign == '=' && is_signature(m)) secrecy = CK_SECRET_NAME;
  if (secrecy != CK_NOT_SECRET) {
    struct value value = value_at(m, sign == '=' && at(m, i + 1) == '>' ? i + 2 : i + 1, secrecy);
    bool is_secret = !is_nothing(m, value.from, value.to) && !(sign == ':' && is_prose(m, &value, secrecy));
    if (is_secret) return mask(m, value.from, value.to);
  }
  m->key_end = 0;
  return i + 1;
}

// --- The text --------------------------------------------------------------------------------------------------

bool ck_holds_capital_token(const char *text, size_t size) {
  static const char *const beginnings[] = {"AIza", "AKIA", "ASIA", "Basi", "Bear", NULL};
  for (size_t i = 0; i + 4 <= size; i++) {
    if (text[i] != 'A' && text[i] != 'B') continue;
    for (const char *const *word = beginnings; *word; word++)
      if (text[i + 1] == (*word)[1] && text[i + 2] == (*word)[2] && text[i + 3] == (*word)[3]) return true;
  }
  return false;
}

static bool is_key(char c) { return ck_is_token_letter(c) || c == '_' || c == '.' || c == '-'; }

static size_t read_key(struct masking *m, size_t i) {
  if (m->key_end == 0 || m->is_closed) m->key_start = i;
  m->is_closed = m->is_quoted = false;
  // No token begins inside of a word.
  while (++i < m->size && ck_is_token_letter(m->text[i - 1]) && ck_is_token_letter(m->text[i])) {}
  return m->key_end = i;
}

static size_t read_other(struct masking *m, size_t i) {
  char c = m->text[i];
  m->is_closed = true;
  m->is_quoted |= is_quote(c);
  if (!is_quote(c) && c != ' ' && c != '\\') m->key_end = 0;
  return i + 1;
}

static size_t step(struct masking *m, size_t i) {
  char c = m->text[i];
  bool starts = i == 0 || !(ck_is_token_letter(m->text[i - 1]) || m->text[i - 1] == c);
  if (starts) {
    size_t from = i, to = ck_token_end(m->text, m->size, &from);
    if (to > from) return mask(m, from, to);
  }
  if (is_key(c)) return read_key(m, i);
  if (c == ':' && at(m, i + 1) == '/' && at(m, i + 2) == '/') return read_url(m, i);
  if ((c == ':' || c == '=') && at(m, i + 1) == c) {
    m->key_end = 0;
    return i + 2;
  }
  if ((c == ':' || c == '=') && m->key_end > 0) return read_value(m, i);
  return read_other(m, i);
}

ck_slice ck_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  size_t looked_at = ck_utf8_cut(text, size, CK_SECRET_TEXT_MAX);
  if (!ck_may_hold_secret(text, looked_at)) return (ck_slice){text, size};
  struct masking m = {.text = text, .size = looked_at, .room = room, .capacity = capacity};
  for (size_t i = 0; i < looked_at && m.written < capacity;) i = step(&m, i);
  if (m.kept == 0) return (ck_slice){text, size};
  put(&m, text + m.kept, looked_at - m.kept);
  if (looked_at < size) put(&m, CK_ELLIPSIS, sizeof CK_ELLIPSIS - 1);
  return (ck_slice){room, m.written};
}

ck_slice ck_argument_without_secrets(const char *argument, size_t size, bool *is_next, char *room, size_t capacity) {
  bool is_option = size > 1 && argument[0] == '-', is_value = *is_next && !is_option;
  size_t key = 0;
  while (key < size && is_key(argument[key])) key++;
  bool has_secret_key = key > 0 && ck_key_is_secret(argument, key);
  *is_next = is_option && key == size && has_secret_key;
  struct masking m = {.text = argument, .size = size, .room = room, .capacity = capacity};
  if (is_value)
    mask(&m, 0, size);
  else if (has_secret_key && key + 1 < size && argument[key] == '=')
    mask(&m, key + 1, size);
  else
    return ck_without_secrets(argument, size, room, capacity);
  return (ck_slice){room, m.written};
}
