// Secrets in sentences, tables and lists: behind a key without a sign. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

enum { SHORTEST = 4, LONG_VALUE = 32, BLANKS_MAX = 64 };

// --- What looks like a secret --------------------------------------------------------------------------------------

// Signs of a place, a pair or a call. A long value may have slashes inside, as base64 has.
static bool is_sign_of_other(const struct csec_masking *m, size_t from, size_t i, size_t to) {
  char c = m->text[i];
  if (c == '/') return i == from || to - from < LONG_VALUE;
  return c == '=' || c == ':' || c == '(' || c == '.';
}

// "120ms", "12k", "3rd", "0x1f"
static bool is_measure(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const units[] = {"ms", "us", "ns",  "s",   "m",   "h",    "d",     "k",  "kb",
                                      "mb", "gb", "kib", "mib", "gib", "b",    "x",     "st", "nd",
                                      "rd", "th", "sec", "min", "bit", "bits", "bytes", NULL};
  size_t i = from;
  if (csec_at(m, from) == '0' && (csec_at(m, from + 1) | 0x20) == 'x') return true;
  while (i < to && (csec_is_number(m->text[i]) || m->text[i] == ',' || m->text[i] == '-' || m->text[i] == '+')) i++;
  return i > from && i < to && (csec_is_word_of(m, i, to, units) || m->text[i] == '%');
}

// Names of methods have digits too.
static bool is_method(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const names[] = {"oauth2", "oauth1", "sha1",  "sha256", "sha384", "sha512",
                                      "hs256",  "rs256",  "es256", "aes128", "aes256", "base64",
                                      "ipv4",   "ipv6",   "utf8",  "http2",  NULL};
  return csec_is_word_of(m, from, to, names);
}

static size_t digits_end(const struct csec_masking *m, size_t from, size_t to) {
  while (from < to && csec_is_number(m->text[from])) from++;
  return from;
}

static bool ends_clause(char c) { return c == '.' || c == ',' || c == ')' || c == ';'; }

static bool looks_random(const struct csec_masking *m, size_t from, size_t to, bool is_quoted) {
  bool has_digit = false, has_other = false;
  for (size_t i = from; i < to; i++) {
    has_digit |= csec_is_number(m->text[i]);
    has_other |= !csec_is_number(m->text[i]);
    if (!is_quoted && is_sign_of_other(m, from, i, to) && i + 1 < to) return false;
  }
  if (!has_digit || !has_other || to - from < SHORTEST) return false;
  return is_quoted || !(is_measure(m, from, to) || is_method(m, from, to));
}

bool csec_looks_random(const struct csec_masking *m, size_t from, size_t to, bool is_code) {
  while (to > from && ends_clause(m->text[to - 1])) to--;
  if (is_code && to - from >= SHORTEST && digits_end(m, from, to) == to) return true;
  return looks_random(m, from, to, false);
}

// --- Sentences -----------------------------------------------------------------------------------------------------

static bool is_noun(const struct csec_masking *m) {
  static const char *const nouns[] = {"password", "passwd", "passphrase", "passcode", "secret", "token", NULL};
  char last = m->text[m->key_end - 1] | 0x20;
  if (m->key_end - m->key_start < 5 || (last != 'd' && last != 'e' && last != 't' && last != 'n')) return false;
  return csec_is_word_of(m, m->key_start, m->key_end, nouns);
}

// "DB_PASSWORD", "apiKey" and "api key" are names, and no words of a sentence.
static bool is_name(const struct csec_masking *m) {
  bool is_joint = csec_is_word(m, m->key_start, m->key_end, "key");
  for (size_t i = m->key_start + 1; i < m->key_end; i++) {
    char c = m->text[i], before = m->text[i - 1];
    is_joint |= c == '_' || c == '-' || (c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z');
  }
  return is_joint && csec_last_key_secrecy(m) >= CSEC_SECRET_TOKEN;
}

static size_t word_end(const struct csec_masking *m, size_t i) {
  while (i < m->size && (uint8_t)m->text[i] > ' ') i++;
  return i;
}

static size_t skip_blanks(const struct csec_masking *m, size_t i) {
  size_t most = i + BLANKS_MAX;
  while (i < most && csec_is_blank(csec_at(m, i))) i++;
  return i;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

// The end of "is", "IS", "set to", "->", "→", "|" or "(" at `i`, with the blanks behind it.
static size_t link_end(const struct csec_masking *m, size_t i) {
  static const char *const verbs[] = {"is", "was", "of", "->", "|", "\xe2\x86\x92", NULL};
  if (csec_at(m, i) == '(') return i + 1;
  size_t end = i;
  while (end < m->size && end < i + 4 && (uint8_t)m->text[end] > ' ') end++;
  if (!csec_is_blank(csec_at(m, end))) return i;
  for (const char *const *verb = verbs; *verb; verb++) {
    size_t j = 0;
    while (i + j < end && (*verb)[j] && lower(m->text[i + j]) == (*verb)[j]) j++;
    if (i + j == end && !(*verb)[j]) return skip_blanks(m, end);
  }
  bool is_set_to = csec_is_word(m, i, end, "set") && csec_at(m, end + 1) == 't' && csec_at(m, end + 2) == 'o';
  return is_set_to && csec_is_blank(csec_at(m, end + 3)) ? skip_blanks(m, end + 3) : i;
}

// "password is x1", "password 'x1'", "apiKey -> x1"
size_t csec_read_sentence(struct csec_masking *m, size_t i) {
  size_t start = link_end(m, skip_blanks(m, i)), end = start;
  if (m->key_end - m->key_start < 3 || csec_ends_line(csec_at(m, start))) return i;
  char quote = csec_at(m, start);
  bool is_quoted = csec_is_quote(quote);
  bool is_noun_or_name = is_noun(m) || is_name(m);
  if (!is_noun_or_name) return i;
  if (is_quoted)
    end = csec_quoted_end(m, ++start, quote, 0);
  else
    end = word_end(m, start);
  while (!is_quoted && end > start && ends_clause(m->text[end - 1])) end--;
  return looks_random(m, start, end, is_quoted) ? csec_mask(m, start, end) : i;
}

// --- Lists ---------------------------------------------------------------------------------------------------------

// ["password", "x"]: two texts, the first of which is the key.
size_t csec_read_list(struct csec_masking *m, size_t i) {
  size_t start = m->key_start;
  if (start < 2 || m->text[start - 1] != m->text[i]) return i;
  bool is_first = m->text[start - 2] == '[' || m->text[start - 2] == '(';
  size_t comma = skip_blanks(m, i + 1), from = skip_blanks(m, comma + 1);
  if (!is_first || csec_at(m, comma) != ',' || !csec_is_quote(csec_at(m, from))) return i;
  enum csec_secrecy secrecy = csec_last_key_secrecy(m);
  if (secrecy == CSEC_NOT_SECRET) return i;
  size_t end = csec_quoted_end(m, from + 1, m->text[from], 0), close = skip_blanks(m, end + 1);
  bool is_second = csec_at(m, close) == ']' || csec_at(m, close) == ')';
  bool is_secret = secrecy >= CSEC_SECRET_NAME ? end > from + 1 : looks_random(m, from + 1, end, true);
  return is_second && is_secret ? csec_mask(m, from + 1, end) : i;
}
