// The texts of a report without their credentials. Calls nothing but the rest of this folder: async-signal-safe.
#include "secret_scan.h"
#include "CGround/utf8.h"

enum { SHORTEST_SPACED_VALUE = 4, RANDOM_LENGTH = 20 };

CK_NO_LIBC static void put(struct ck_masking *m, const char *bytes, size_t size) {
  size_t room = m->capacity - m->written;
  if (size > room) size = room;
  ck_copy(m->room + m->written, bytes, size);
  m->written += size;
}

size_t ck_mask(struct ck_masking *m, size_t from, size_t to) {
  put(m, m->text + m->kept, from - m->kept);
  put(m, CK_SECRET_MASK, sizeof CK_SECRET_MASK - 1);
  m->kept = to;
  m->key_end = 0;
  return to;
}

// --- Keys and values -------------------------------------------------------------------------------------------

// "init(password:salt:)"
static bool is_label(const struct ck_masking *m, size_t from, size_t to) {
  if (to > from + 1 && m->text[to - 1] == ')' && m->text[to - 2] == ':') return true;
  while (from < to && ck_can_follow(m->text[from])) from++;
  return from == to;
}

// What says that there is no secret, or that it was masked before.
static bool is_nothing(const struct ck_masking *m, size_t from, size_t to) {
  static const char *const words[] = {"nil", "null", "none", "true", "false",
                                      "undefined", "<nil", "<null", "<none", NULL};
  bool is_mask = ck_at(m, from) == '*' && ck_at(m, from + 1) == '*' && ck_at(m, from + 2) == '*';
  if (is_mask && (from + 3 == m->size || ck_can_follow(m->text[from + 3]))) return true;
  return from == to || ck_is_word_of(m, from, to, words);
}

static bool has_digit(const struct ck_masking *m, size_t from, size_t to) {
  for (; from < to; from++)
    if (ck_is_number(m->text[from])) return true;
  return false;
}

// "Auth.swift:12"
static bool is_line_number(const struct ck_masking *m, const struct ck_secret_value *value) {
  bool has_dot = false;
  for (size_t i = m->key_start; i < m->key_end; i++) has_dot |= m->text[i] == '.';
  return has_dot && !value->is_spaced && ck_is_number(ck_at(m, value->from));
}

// "pin: 83412"
static bool is_code(const struct ck_masking *m) {
  static const char *const words[] = {"otp", "totp", "pin", NULL};
  return ck_is_word_of(m, m->key_start, m->key_end, words);
}

// Sentences have colons too: "unexpected token: else".
static bool is_prose(const struct ck_masking *m, const struct ck_secret_value *value, enum ck_secrecy secrecy) {
  if (m->is_quoted || value->is_quoted) return false;
  if (!value->is_spaced && is_label(m, value->from, value->to)) return true;
  if (is_line_number(m, value)) return true;
  if (secrecy == CK_SECRET_WORD) return !ck_looks_random(m, value->from, value->to, is_code(m));
  if (!value->is_spaced || secrecy == CK_SECRET_HEADER) return false;
  size_t size = value->to - value->from;
  if (size < SHORTEST_SPACED_VALUE) return true;
  return secrecy == CK_SECRET_TOKEN && size < RANDOM_LENGTH && !has_digit(m, value->from, value->to);
}

// In the query of a URL even these open what the URL names.
static bool is_key_of_query(const struct ck_masking *m) {
  static const char *const words[] = {"sig", "signature", "key", "session", NULL};
  char before = m->key_start > 0 ? m->text[m->key_start - 1] : 0;
  return (before == '?' || before == '&') && ck_is_word_of(m, m->key_start, m->key_end, words);
}

// "api key": the word before belongs to it.
static size_t start_of_two_words(const struct ck_masking *m) {
  size_t start = m->key_start;
  if (!ck_is_word(m, m->key_start, m->key_end, "key") || start < 2 || m->text[start - 1] != ' ') return start;
  for (start--; start > 0 && m->key_start - start < CK_KEY_MAX && ck_is_key(m->text[start - 1]); start--) {}
  return start;
}

enum ck_secrecy ck_last_key_secrecy(const struct ck_masking *m) {
  size_t start = start_of_two_words(m);
  if (m->key_end - start > CK_KEY_MAX) start = m->key_end - CK_KEY_MAX;
  return ck_key_secrecy(m->text + start, m->key_end - start);
}

static enum ck_secrecy key_secrecy(const struct ck_masking *m, char sign) {
  enum ck_secrecy secrecy = ck_last_key_secrecy(m);
  return secrecy == CK_NOT_SECRET && sign == '=' && is_key_of_query(m) ? CK_SECRET_NAME : secrecy;
}

// "tokens=4096": a number of them.
static bool is_number_of_tokens(const struct ck_masking *m, const struct ck_secret_value *value) {
  static const char *const words[] = {"tokens", NULL};
  if (!ck_is_word_of(m, m->key_start, m->key_end, words)) return false;
  size_t i = value->from;
  while (i < value->to && ck_is_number(m->text[i])) i++;
  return i == value->to;
}

// Behind the sign of a pair. Returns where to read on.
static size_t read_value(struct ck_masking *m, size_t i, char sign, enum ck_secrecy secrecy) {
  if (secrecy == CK_NOT_SECRET) {
    secrecy = ck_named_secrecy(m);
    if (secrecy == CK_NOT_SECRET) ck_read_name(m, i);
    else sign = '=';
  }
  if (secrecy != CK_NOT_SECRET) {
    struct ck_secret_value value = ck_secret_value_at(m, i, sign, secrecy);
    bool is_plain = is_nothing(m, value.from, value.to) || is_number_of_tokens(m, &value);
    bool is_secret = !is_plain && !(sign == ':' && is_prose(m, &value, secrecy));
    if (is_secret) return ck_mask(m, value.from, value.to);
  }
  m->key_end = 0;
  return i;
}

// "token == other" compares; "password==x" does not.
static size_t read_equality(struct ck_masking *m, size_t i) {
  size_t end = i;
  while (ck_at(m, end) == '=') end++;
  enum ck_secrecy secrecy = key_secrecy(m, '=');
  bool is_comparison = secrecy < CK_SECRET_NAME && ck_is_blank(ck_at(m, end));
  return read_value(m, end, '=', is_comparison ? CK_NOT_SECRET : secrecy);
}

// At the sign behind a key: '=' or ':', ":=", "=>", "==".
static size_t read_sign(struct ck_masking *m, size_t i, char sign, size_t size) {
  char next = ck_at(m, i + size);
  if (sign == ':' && next == ':') {
    m->key_end = 0;
    return i + 2;
  }
  if (sign == '=' && next == '=') return read_equality(m, i);
  if (sign == '=' && next == '>') size++;
  if (sign == ':' && next == '=') {
    sign = '=';
    size++;
  }
  return read_value(m, i + size, sign, key_secrecy(m, sign));
}

// --- The text --------------------------------------------------------------------------------------------------

static size_t read_key(struct ck_masking *m, size_t i, size_t size) {
  if (m->key_end == 0 || m->is_closed) m->key_start = i;
  m->is_closed = m->is_quoted = false;
  // No token begins inside of a word.
  for (i += size; i < m->size && ck_is_token_letter(m->text[i - 1]) && ck_is_token_letter(m->text[i]); i++) {}
  return m->key_end = i;
}

// Behind a word.
static size_t read_blank(struct ck_masking *m, size_t i) {
  const void *program = ck_program_named(m->text + m->key_start, i - m->key_start);
  if (program) m->program = program;
  return ck_read_sentence(m, i);
}

static size_t read_other(struct ck_masking *m, size_t i, char c, size_t size) {
  if (m->key_end == i && i > 0 && !m->is_closed && (ck_is_blank(c) || ck_is_quote(c))) {
    size_t end = ck_is_blank(c) ? read_blank(m, i) : ck_read_list(m, i);
    if (end > i) return end;
  }
  if (ck_ends_line(c)) m->program = NULL;
  m->is_closed = true;
  m->is_quoted |= ck_is_quote(c);
  if (!ck_is_quote(c) && !ck_is_blank(c) && c != '\\') m->key_end = 0;
  return i + size;
}

static size_t read_token(struct ck_masking *m, size_t i) {
  size_t from = i, to = ck_token_end(m->text, m->size, &from);
  if (to > from) return ck_mask(m, from, to);
  to = m->text[i] == '-' ? ck_tail_end(m->text, m->size, i) : i;
  return to > i ? ck_mask(m, ck_key_tail(m->text, m->kept, i), to) : i;
}

static bool is_url(const struct ck_masking *m, size_t i) {
  return m->text[i] == ':' && ck_at(m, i + 1) == '/' && ck_at(m, i + 2) == '/';
}

// At ':', '@', '<', '>' and '}', whatever stands before. Returns where to read on, or `i`.
static size_t read_mark(struct ck_masking *m, size_t i) {
  switch (m->text[i]) {
    case '@': return ck_read_address(m, i);
    case '<': ck_read_tag(m, i); return i;
    case '>': return m->tag_end > 0 ? ck_read_element(m, i) : i;
    case '}': m->named = CK_NOT_SECRET; return i;
    default: return i;
  }
}

// At ':': "https://…", and "123456789:AA…".
static size_t read_colon(struct ck_masking *m, size_t i) {
  if (is_url(m, i)) return ck_read_url(m, i);
  size_t from = m->kept, to = ck_bot_token_end(m->text, m->size, &from, i);
  return to > i ? ck_mask(m, from, to) : i;
}

static size_t step(struct ck_masking *m, size_t i) {
  char raw = m->text[i];
  bool starts = i == 0 || !(ck_is_token_letter(m->text[i - 1]) || m->text[i - 1] == raw);
  size_t size, end = starts ? read_token(m, i) : i;
  if (end == i && raw == ':') end = read_colon(m, i);
  if (m->is_name) return end > i ? end : i + 1;
  if (end == i && starts && raw == '-') end = ck_read_option(m, i);
  char c = ck_decoded_at(m, i, &size);
  if (end == i && ck_is_key(c)) return read_key(m, i, size);
  if (end == i) end = read_mark(m, i);
  if (end > i) return end;
  if ((c == ':' || c == '=') && m->key_end > 0) return read_sign(m, i, c, size);
  return read_other(m, i, c, size);
}

static ck_safe_text masked(struct ck_masking *m, size_t whole) {
  for (size_t i = 0; i < m->size && m->written < m->capacity;) i = step(m, i);
  if (m->kept == 0) return (ck_safe_text){m->text, whole};
  put(m, m->text + m->kept, m->size - m->kept);
  if (m->size < whole) put(m, CK_ELLIPSIS, sizeof CK_ELLIPSIS - 1);
  return (ck_safe_text){m->room, m->written};
}

ck_safe_text ck_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  size_t looked_at = ck_utf8_cut(text, size, CK_SECRET_TEXT_MAX);
  if (!ck_may_hold_secret(text, looked_at)) return (ck_safe_text){text, size};
  struct ck_masking m = {.text = text, .size = looked_at, .room = room, .capacity = capacity};
  return masked(&m, size);
}

ck_safe_text ck_whole_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  if (!ck_may_hold_secret(text, size)) return (ck_safe_text){text, size};
  struct ck_masking m = {.text = text, .size = size, .room = room, .capacity = capacity};
  return masked(&m, size);
}

ck_safe_text ck_name_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  if (!ck_may_hold_secret(text, size)) return (ck_safe_text){text, size};
  struct ck_masking m = {.text = text, .size = size, .room = room, .capacity = capacity, .is_name = true};
  return masked(&m, size);
}
