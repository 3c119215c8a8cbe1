// Secrets whose key is in another place: the name of a tag, or the value of a "name". Calls nothing but the rest of
// this folder: async-signal-safe.
#include "secret_scan.h"

// A value stands this close behind its name.
enum { NEAR = 256, LINES_MAX = 512 };

// --- Names ---------------------------------------------------------------------------------------------------------

bool csec_is_naming(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {"name",  "key",       "field",        "header",   "variable", "var",
                                      "param", "parameter", "parameterkey", "property", NULL};
  return to - from >= 3 && csec_is_word_of(m, from, to, words);
}

bool csec_is_value_word(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {"value", "val", "parametervalue", NULL};
  return to - from >= 3 && csec_is_word_of(m, from, to, words);
}

static bool is_valued(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {"string", "data", "content", "text", "integer", "some", NULL};
  return to - from >= 3 && (csec_is_word_of(m, from, to, words) || csec_is_value_word(m, from, to));
}

static bool is_named(const struct csec_masking *m, size_t i) {
  return m->named != CSEC_NOT_SECRET && i - m->named_at <= NEAR;
}

// The words from `i` on as the name of a key.
static size_t name_end(const struct csec_masking *m, size_t i) {
  size_t end = i;
  while (end < m->size && end < i + CSEC_KEY_MAX && csec_is_key(m->text[end])) end++;
  return end;
}

// The last part of "/prod/db/password" and "App:Db:Password".
static size_t leaf_start(const struct csec_masking *m, size_t i) {
  size_t start = i, end = name_end(m, i);
  while (end < i + CSEC_KEY_MAX && (csec_at(m, end) == '/' || csec_at(m, end) == ':' || csec_at(m, end) == '@')) {
    size_t next = name_end(m, end + 1);
    if (next > end + 1) start = end + 1;
    end = next;
  }
  return start;
}

static void name(struct csec_masking *m, size_t i) {
  size_t start = leaf_start(m, i), end = name_end(m, start);
  bool is_taken = m->taken_at == i && i > 0;
  m->named = is_taken ? CSEC_NOT_SECRET : csec_key_secrecy(m->text + start, end - start);
  m->is_session = !is_taken && csec_is_session(m, start, end);
  m->has_name = !is_taken;
  m->named_at = i;
}

void csec_read_name(struct csec_masking *m, size_t i) {
  if (!csec_is_naming(m, m->key_start, m->key_end)) return;
  static const char hashable[] = "AnyHashable(";
  m->is_item = csec_begins_item(m);
  size_t most = i + CSEC_KEY_MAX;
  if (csec_begins(m->text, m->size, csec_skip_blanks(m, i), hashable)) i = csec_skip_blanks(m, i) + sizeof hashable - 1;
  while (i < most && (csec_is_blank(csec_at(m, i)) || csec_at(m, i) == '\\' || csec_is_quote(csec_at(m, i)))) i++;
  name(m, i);
}

bool csec_is_value_of_session(const struct csec_masking *m) {
  return m->is_session && m->key_start - m->named_at <= NEAR && csec_is_value_word(m, m->key_start, m->key_end);
}

// Remembers that the name at `i` belongs to the value before it.
static enum csec_secrecy secrecy_behind(struct csec_masking *m, size_t i) {
  m->taken_at = i;
  size_t start = leaf_start(m, i);
  return csec_key_secrecy(m->text + start, name_end(m, start) - start);
}

enum csec_secrecy csec_named_secrecy(struct csec_masking *m, size_t i) {
  if (csec_is_value_of_auth(m)) return CSEC_SECRET_NAME;
  if (!is_valued(m, m->key_start, m->key_end)) return CSEC_NOT_SECRET;
  if (csec_is_value_of_cookie(m)) return CSEC_SECRET_NAME;
  bool is_sole = csec_is_value_word(m, m->key_start, m->key_end);
  if (is_sole && !m->is_item && csec_begins_item(m)) {
    m->has_name = false;
    m->named = CSEC_NOT_SECRET;
  }
  bool has_name = m->has_name && m->key_start - m->named_at <= NEAR;
  size_t end = is_sole && !has_name ? csec_near_value_end(m, i) : 0, name = end > 0 ? csec_name_behind(m, end) : 0;
  if (name > 0) return secrecy_behind(m, name);
  return is_named(m, m->key_start) ? m->named : CSEC_NOT_SECRET;
}

// --- Keys in JSON ---------------------------------------------------------------------------------------------------

static bool holds_key_type(const struct csec_masking *m) {
  for (size_t i = 0; i + 4 < m->size; i++)
    if (m->text[i] == 'k' && m->text[i + 1] == 't' && m->text[i + 2] == 'y' && !csec_is_key(m->text[i + 3]))
      return true;
  return false;
}

// kind: Secret, "kind":"Secret"
static bool holds_kind_of_secret(const struct csec_masking *m) {
  static const char kind[] = "kind", secret[] = "Secret";
  enum { SIGNS_MAX = 8 };
  for (size_t i = 0; i < m->size; i++) {
    if (m->text[i] != kind[0] || !csec_begins(m->text, m->size, i, kind)) continue;
    size_t start = i + sizeof kind - 1, most = start + SIGNS_MAX;
    while (start < most && start < m->size && !csec_is_token_letter(m->text[start])) start++;
    size_t end = start + sizeof secret - 1;
    if (csec_begins(m->text, m->size, start, secret) && !csec_is_key(csec_at(m, end))) return true;
  }
  return false;
}

bool csec_is_data_of_secret(struct csec_masking *m) {
  static const char *const words[] = {"data", "stringdata", NULL};
  if (!csec_is_word_of(m, m->key_start, m->key_end, words)) return false;
  if (m->kind == CSEC_KEY_TYPE_UNKNOWN) m->kind = holds_kind_of_secret(m) ? CSEC_KEY_TYPE_HERE : CSEC_KEY_TYPE_NOWHERE;
  return m->kind == CSEC_KEY_TYPE_HERE;
}

// {"kty": "EC", "d": "x"}
bool csec_is_key_of_jwk(struct csec_masking *m) {
  static const char *const members[] = {"d", "p", "q", "dp", "dq", "qi", "k", NULL};
  if (!m->is_quoted || m->key_end - m->key_start > 2 || !csec_is_word_of(m, m->key_start, m->key_end, members))
    return false;
  if (m->key_type == CSEC_KEY_TYPE_UNKNOWN)
    m->key_type = holds_key_type(m) ? CSEC_KEY_TYPE_HERE : CSEC_KEY_TYPE_NOWHERE;
  return m->key_type == CSEC_KEY_TYPE_HERE;
}

// Whether '[' stands before the key, perhaps in percent encoding, or in that of a value that is encoded itself.
static bool has_bracket_before(const struct csec_masking *m, size_t start) {
  if (start > 0 && m->text[start - 1] == '[') return true;
  return start >= 3 && csec_begins_in_either_case(m->text, m->size, start - 3, "%5b");
}

// Behind "[]" and "[0]", perhaps in percent encoding.
static size_t numbers_end(const struct csec_masking *m, size_t i) {
  enum { DIGITS_MAX = 4 };
  size_t size, end = i;
  while (csec_decoded_at(m, i, &size) == '[') {
    end = i + size;
    while (end < i + size + DIGITS_MAX && csec_is_number(csec_at(m, end))) end++;
    if (csec_decoded_at(m, end, &size) != ']') return i;
    i = end + size;
  }
  return i;
}

// At ']': "[password] => x", "user['password'] = 'x'", "user%5Bpassword%5D=x". At '[': "password[]=x".
size_t csec_read_subscript(const struct csec_masking *m, size_t i) {
  if (m->key_end == 0 || i > m->key_end + 1) return i;
  size_t start = m->key_start, size, sign;
  char c = csec_decoded_at(m, i, &size);
  if (c == '[') {
    size_t end = i == m->key_end ? numbers_end(m, i) : i;
    return end > i && csec_decoded_at(m, end, &sign) == '=' ? end : i;
  }
  if (c != ']') return i;
  if (start > 0 && csec_is_quote(m->text[start - 1]) && csec_is_quote(m->text[i - 1])) start--;
  size_t end = numbers_end(m, i + size);
  bool is_pair = csec_decoded_at(m, csec_skip_blanks(m, end), &sign) == '=';
  return is_pair && has_bracket_before(m, start) ? end : i;
}

// At ')': "AnyHashable("password"): "x"".
bool csec_closes_hashable(const struct csec_masking *m, size_t i) {
  static const char before[] = "AnyHashable(";
  size_t size = sizeof before - 1, start = m->key_start, end = m->key_end;
  if (m->text[i] != ')' || end == 0 || csec_at(m, i + 1) != ':' || start == 0) return false;
  end += csec_at(m, end) == '\\';
  start -= 1 + (start > 1 && m->text[start - 2] == '\\');
  return m->text[i - 1] == '"' && i == end + 1 && start >= size && csec_begins(m->text, m->size, start - size, before);
}

// Whether "form-data" stands before the last name.
static bool is_of_form(const struct csec_masking *m) {
  static const char form[] = "form-data";
  enum { BEFORE_MAX = 64 };
  size_t least = m->named_at > BEFORE_MAX ? m->named_at - BEFORE_MAX : 0;
  for (size_t i = least; i < m->named_at; i++)
    if (csec_begins(m->text, m->named_at, i, form)) return true;
  return false;
}

size_t csec_read_part(struct csec_masking *m, size_t i) {
  if (!is_named(m, i)) return i;
  size_t line = csec_next_shown_line(m, i), start = csec_next_shown_line(m, line), end = start;
  if (line == i || start == line || !is_of_form(m)) return i;
  m->named = CSEC_NOT_SECRET;
  while (end < m->size && csec_next_shown_line(m, end) == end) end++;
  bool is_secret = end > start && !csec_is_masked(m, start);
  return is_secret ? csec_mask(m, start, end) : i;
}

// --- Elements ------------------------------------------------------------------------------------------------------

void csec_read_tag(struct csec_masking *m, size_t i) {
  size_t start = i + 1, end = start;
  while (end < m->size && end < i + CSEC_KEY_MAX && (csec_is_key(m->text[end]) || m->text[end] == ':'))
    if (m->text[end++] == ':') start = end;
  m->tag_start = start;
  m->tag_end = end > start ? end : 0;
  if (csec_is_cookie(m, start, end)) m->cookie_end = end;
}

// Where an element ends whose content begins at `i`: at its "</". `i` if there is none near, or other elements in it.
static size_t content_end(const struct csec_masking *m, size_t i) {
  static const char cdata[] = "<![CDATA[";
  size_t end = i, line_end = 0, j = 0;
  while (cdata[j] && csec_at(m, i + j) == cdata[j]) j++;
  bool is_cdata = !cdata[j];
  for (end += j * is_cdata; end < m->size && (line_end == 0 || end < line_end + LINES_MAX); end++) {
    if (m->text[end] == '<' && (!is_cdata || csec_at(m, end - 1) == '>')) break;
    if (line_end == 0 && csec_ends_line(m->text[end])) line_end = end;
  }
  return csec_at(m, end) == '<' && csec_at(m, end + 1) == '/' ? end : i;
}

static bool is_blank(const struct csec_masking *m, size_t from, size_t to) {
  while (from < to && (uint8_t)m->text[from] <= ' ') from++;
  return from == to;
}

// "<password>x</password>", "<key>password</key><string>x</string>", "<property name='password'>x</property>"
size_t csec_read_element(struct csec_masking *m, size_t i) {
  size_t start = m->tag_start, end = m->tag_end;
  m->tag_end = 0;
  if (m->text[i - 1] == '/') {
    m->has_name = false;
    return i;
  }
  enum csec_secrecy secrecy = end - start > 2 ? csec_key_secrecy(m->text + start, end - start) : CSEC_NOT_SECRET;
  if (secrecy <= CSEC_PERHAPS_SECRET) secrecy = CSEC_NOT_SECRET;
  bool is_by_name = is_named(m, i) && (m->named_at > end || is_valued(m, start, end));
  bool names = csec_is_naming(m, start, end), has_name = m->has_name && i - m->named_at <= NEAR;
  bool may_be_first = !has_name && csec_is_value_word(m, start, end);
  if (secrecy == CSEC_NOT_SECRET && !is_by_name && !names && !may_be_first) return i;
  size_t content = content_end(m, i + 1);
  if (content == i + 1 || is_blank(m, i + 1, content)) return i;
  if (may_be_first && secrecy == CSEC_NOT_SECRET) {
    size_t behind = csec_name_behind(m, content);
    if (behind > 0) {
      secrecy = secrecy_behind(m, behind);
      return secrecy == CSEC_NOT_SECRET ? i : csec_mask(m, i + 1, content);
    }
  }
  if (secrecy == CSEC_NOT_SECRET && !is_by_name) {
    if (names) name(m, i + 1);
    return i;
  }
  m->named = CSEC_NOT_SECRET;
  return csec_mask(m, i + 1, content);
}
