// Secrets in sentences, tables and lists: values after a key without a sign such as "=". Calls nothing but the rest of
// this folder: async-signal-safe.
#include "secret_scan.h"

enum { SHORTEST = 4, LONG_VALUE = 32, BLANKS_MAX = 64 };

// --- What looks like a secret --------------------------------------------------------------------------------------

// Signs of a place, a pair or a call, before the last character. A long value may have slashes inside, as base64 has.
static bool has_sign_of_other(const struct csec_masking *m, size_t from, size_t to) {
  if (to - from < 2) return false;
  if (m->text[from] == '/' || csec_next(m, from, CSEC_SIGN) < to - 1) return true;
  for (size_t i = from; to - from < LONG_VALUE && i < to - 1; i++)
    if (m->text[i] == '/') return true;
  return false;
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

size_t csec_digits_end(const struct csec_masking *m, size_t from, size_t to) {
  while (from < to && csec_is_number(m->text[from])) from++;
  return from;
}

bool csec_is_setting(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const states[] = {"on",      "off",     "yes",      "no",      "ok",       "none",     "default",
                                       "enabled", "failed",  "disabled", "success", "required", "failure",  "denied",
                                       "granted", "invalid", "valid",    "expired", "missing",  "optional", NULL};
  enum { SHORT = 3, SHORT_HEX = 6 };
  bool has_digit = false;
  for (size_t i = from; i < to && i < from + SHORT; i++) has_digit |= csec_is_number(m->text[i]);
  if (to - from <= SHORT && has_digit) return true;
  bool is_hex = csec_at(m, from) == '0' && (csec_at(m, from + 1) | 0x20) == 'x';
  if (is_hex) return to - from <= SHORT_HEX;
  return is_measure(m, from, to) || is_method(m, from, to) || csec_is_word_of(m, from, to, states);
}

static bool looks_random(const struct csec_masking *m, size_t from, size_t to, bool is_quoted) {
  if (to - from < SHORTEST || (!is_quoted && has_sign_of_other(m, from, to))) return false;
  if (csec_next(m, from, CSEC_DIGIT) >= to || csec_next(m, from, CSEC_NO_DIGIT) >= to) return false;
  return is_quoted || !(is_measure(m, from, to) || is_method(m, from, to));
}

bool csec_looks_random(const struct csec_masking *m, size_t from, size_t to, bool is_code) {
  to = csec_without_clause_end(m, from, to);
  if (is_code && to - from >= SHORTEST && csec_digits_end(m, from, to) == to) return true;
  return looks_random(m, from, to, false);
}

// --- Sentences -----------------------------------------------------------------------------------------------------

static bool is_noun(const struct csec_masking *m) {
  static const char *const nouns[] = {"password", "passwd",      "passphrase", "passcode", "secret", "token",
                                      "passwort", "requirepass", "masterauth", "apikey",   NULL};
  char last = m->text[m->key_end - 1] | 0x20;
  if (m->key_end - m->key_start < 5) return false;
  if (last != 'd' && last != 'e' && last != 't' && last != 'n' && last != 'h' && last != 's' && last != 'y')
    return false;
  return csec_is_word_of(m, m->key_start, m->key_end, nouns);
}

// "PIN 1234", "verification code is 834112": numbers are secrets here.
static bool is_number_code(const struct csec_masking *m) {
  static const char *const words[] = {"pin", "otp", "totp", "passcode", NULL};
  char first = m->text[m->key_start] | 0x20;
  if (first == 'c' && csec_is_word(m, m->key_start, m->key_end, "code"))
    return csec_last_key_secrecy(m) >= CSEC_SECRET_NAME;
  return (first == 'p' || first == 'o' || first == 't') && csec_is_word_of(m, m->key_start, m->key_end, words);
}

static bool follows_parser(const struct csec_masking *m) {
  static const char *const words[] = {"unexpected", "unrecognized", "expected", "syntax", "lookahead", NULL};
  size_t end = m->key_start, start;
  if (!csec_is_word(m, end, m->key_end, "token") || end == 0 || m->text[end - 1] != ' ') return false;
  for (start = --end; start > 0 && end - start < BLANKS_MAX && csec_is_token_letter(m->text[start - 1]); start--) {
  }
  return csec_is_word_of(m, start, end, words);
}

// At most two digits behind the letters of a name.
bool csec_is_of_parser(const struct csec_masking *m, size_t from, size_t to) {
  size_t letters = from;
  if (!follows_parser(m)) return false;
  while (letters < to && csec_is_key(m->text[letters]) && !csec_is_number(m->text[letters])) letters++;
  while (to > letters && csec_can_follow(m->text[to - 1])) to--;
  return letters > from && to - letters <= 2 && csec_digits_end(m, letters, to) == to;
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

static size_t word_end(const struct csec_masking *m, size_t i, size_t most) {
  size_t end = i;
  while (end < m->size && end - i < most && (uint8_t)m->text[end] > ' ') end++;
  return end;
}

static size_t skip_blanks(const struct csec_masking *m, size_t i) {
  size_t most = i + BLANKS_MAX;
  for (size_t size; i < most && (size = csec_blank_size(m, i)) > 0;) i += size;
  return i;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static bool is_at(const struct csec_masking *m, size_t i, size_t end, const char *word) {
  for (; i < end && *word; i++, word++)
    if (lower(m->text[i]) != *word) return false;
  return i == end && !*word;
}

static bool is_one_of(const struct csec_masking *m, size_t i, size_t end, const char *const *words) {
  for (; *words; words++)
    if (is_at(m, i, end, *words)) return true;
  return false;
}

// The end of a word that links a key and its value, with the blanks behind it: "is", "->", "→", "|", "set to", "will
// be". `i` if there is none.
static size_t verb_end(const struct csec_masking *m, size_t i) {
  static const char *const verbs[] = {"is",     "was", "=",    "->",   "|",    "\xe2\x86\x92",
                                      "equals", "is:", "was:", "ist:", "war:", NULL};
  static const char *const firsts[] = {"set", "changed", "reset", "updated", "will", "should", "must", NULL};
  static const char *const seconds[] = {"to", "be", NULL};
  enum { VERB_MAX = 8 };
  size_t end = i;
  while (end < m->size && end < i + VERB_MAX && (uint8_t)m->text[end] > ' ' && csec_blank_size(m, end) == 0) end++;
  size_t next = skip_blanks(m, end);
  if (next == end) return i;
  if (is_one_of(m, i, end, verbs)) {
    // "was set to"
    i = next;
    end = word_end(m, i, VERB_MAX);
    if (!is_one_of(m, i, end, firsts)) return next;
    next = skip_blanks(m, end);
  }
  if (!is_one_of(m, i, end, firsts)) return i;
  end = next + 2 <= m->size ? next + 2 : next;
  return is_one_of(m, next, end, seconds) && csec_is_blank(csec_at(m, end)) ? skip_blanks(m, end) : i;
}

// "for alice is", "of bob:": the end of the verb or the sign behind at most three words. `i` if there is none.
static size_t owner_end(const struct csec_masking *m, size_t i) {
  static const char *const prepositions[] = {"for", "of", NULL};
  enum { WORDS_MAX = 3, WORD_MAX = 64 };
  size_t end = word_end(m, i, WORD_MAX);
  if (!is_one_of(m, i, end, prepositions)) return i;
  for (int words = 0; words < WORDS_MAX; words++) {
    size_t start = skip_blanks(m, end);
    end = word_end(m, start, WORD_MAX);
    if (end == start || !csec_is_blank(csec_at(m, end))) return i;
    size_t next = skip_blanks(m, end), verb = verb_end(m, next);
    if (m->text[end - 1] == ':' && end - start > 1) return next;
    if (verb > next) return verb;
  }
  return i;
}

// The end of "provided:", with the blanks behind it; `i` if there is none.
static size_t participle_end(const struct csec_masking *m, size_t i) {
  static const char *const words[] = {
      "provided:", "given:", "supplied:", "entered:", "received:", "used:", "sent:", NULL};
  enum { WORD_MAX = 10 };
  size_t end = word_end(m, i, WORD_MAX), next = skip_blanks(m, end);
  return next > end && is_one_of(m, i, end, words) ? next : i;
}

// The end of "is", "IS", "set to", "of", "->", "→", "|" or "(" at `i`, with the blanks behind it.
static size_t link_end(const struct csec_masking *m, size_t i) {
  if (csec_at(m, i) == '(') return i + 1;
  size_t end = verb_end(m, i);
  if (end == i) end = owner_end(m, i);
  if (end == i) end = participle_end(m, i);
  bool is_of = end == i && is_at(m, i, i + 2 < m->size ? i + 2 : i, "of") && csec_is_blank(csec_at(m, i + 2));
  end = is_of ? skip_blanks(m, i + 2) : end;
  return end > i && csec_at(m, end) == ':' ? skip_blanks(m, end + 1) : end;
}

// Words behind "the password was:" that say something of it.
static bool says_something(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {
      "accepted", "blank",     "changed",   "compromised", "correct", "empty",   "encrypted",  "expiring", "falsch",
      "hashed",   "hidden",    "incorrect", "known",       "leaked",  "masked",  "mismatched", "null",     "redacted",
      "refused",  "rejected",  "removed",   "reset",       "revoked", "richtig", "rotated",    "saved",    "sent",
      "stored",   "unchanged", "undefined", "unknown",     "unset",   "updated", "used",       "weak",     "wrong",
      "outdated", "reused",    "matched",   "verified",    "true",    "false",   NULL};
  return csec_is_setting(m, from, to) || csec_is_word_of(m, from, to, words);
}

// "the password was: swordfish": the last word of its line.
static bool is_stated(const struct csec_masking *m, size_t i, size_t from, size_t to) {
  size_t sign = from;
  while (sign > i && csec_is_blank(m->text[sign - 1])) sign--;
  if (sign == i || m->text[sign - 1] != ':' || !csec_is_line_end(m, csec_next(m, from, CSEC_SPACE))) return false;
  bool is_word = to - from >= SHORTEST && !has_sign_of_other(m, from, to);
  return is_word && csec_last_key_secrecy(m) >= CSEC_SECRET_NAME && !says_something(m, from, to);
}

// "password is x1", "password 'x1'", "apiKey -> x1", "PIN 1234"
size_t csec_read_sentence(struct csec_masking *m, size_t i) {
  if (m->key_end - m->key_start < 3) return i;
  bool is_number = is_number_code(m);
  if (!is_number && !is_noun(m) && !is_name(m)) return i;
  size_t start = link_end(m, skip_blanks(m, i)), end = start;
  if (csec_ends_line(csec_at(m, start))) return i;
  char quote = csec_at(m, start);
  struct csec_secret_value text;
  if (csec_is_sql_text(m, start, &text)) return text.to > text.from ? csec_mask(m, text.from, text.to) : i;
  bool is_quoted = csec_is_quote(quote);
  if (is_quoted)
    end = csec_quoted_end(m, ++start, quote, 0);
  else
    end = csec_without_clause_end(m, start, csec_next(m, start, CSEC_SPACE));
  bool is_code = is_number && end - start >= SHORTEST && csec_digits_end(m, start, end) == end;
  if (csec_is_of_parser(m, start, end)) return i;
  bool is_secret = is_code || looks_random(m, start, end, is_quoted) || is_stated(m, i, start, end);
  if (!is_secret) return i;
  struct csec_secret_value value = {start, end, .is_quoted = is_quoted};
  return csec_read_change(m, csec_mask(m, start, end), &value);
}

// "passwd[x1]" of a log, and not the subscript of a call or a sum.
size_t csec_read_brackets(struct csec_masking *m, size_t i) {
  if (csec_at(m, i) != '[' || m->key_end != i || i == 0 || m->is_closed || !is_noun(m)) return i;
  size_t end = i + 1;
  while (end < m->size && end < i + CSEC_KEY_MAX && m->text[end] != ']' && !csec_ends_word(m->text[end])) {
    if (m->text[end] == '+' || m->text[end] == '*' || m->text[end] == '[') return i;
    end++;
  }
  return csec_at(m, end) == ']' && looks_random(m, i + 1, end, false) ? csec_mask(m, i + 1, end) : i;
}

// --- Lists ---------------------------------------------------------------------------------------------------------

// Line ends too.
static size_t skip_space(const struct csec_masking *m, size_t i) {
  size_t most = i + BLANKS_MAX;
  while (i < most && i < m->size && (uint8_t)m->text[i] <= ' ') i++;
  return i == most ? i : skip_blanks(m, i);
}

// Whether as many names as values stand before the quote at `start` in its list.
static bool has_pairs_before(const struct csec_masking *m, size_t start) {
  enum { LIST_MAX = 512 };
  size_t quotes = 0, i = start;
  for (; i > 0 && start - i < LIST_MAX; i--) {
    char c = m->text[i - 1];
    if (quotes % 2 == 0 && (c == '[' || c == '(')) break;
    quotes += c == m->text[start] && (i < 2 || m->text[i - 2] != '\\');
  }
  // The arguments of a function are no list.
  bool is_call = i > 1 && m->text[i - 1] == '(' && csec_is_key(m->text[i - 2]);
  return (quotes % 4 == 0 && !is_call) || start - i >= LIST_MAX;
}

// A value among others in a list: names of fields stand in lists too.
static bool is_value_in_list(const struct csec_masking *m, size_t from, size_t to, enum csec_secrecy secrecy) {
  enum { SHORTEST_HEADER = 6 };
  bool has_sign = false;
  for (size_t i = from; i < to; i++) has_sign |= m->text[i] == '=' || m->text[i] == ' ';
  if (secrecy == CSEC_SECRET_HEADER && has_sign) return to - from >= SHORTEST_HEADER;
  return looks_random(m, from, to, true) && !is_measure(m, from, to) && !is_method(m, from, to);
}

// ["password", "x"], ["Host", "h", "Cookie", "a=b", "n", "1"]: the text behind the key is its value.
// "password","x7": the whole of a line. The next line of names of columns has a name too.
static size_t read_row(struct csec_masking *m, size_t i) {
  size_t start = m->key_start, from = i + 3;
  size_t line = start > 0 ? csec_before_gaps(m->text, start - 1) : 1;
  bool begins = line == 0 || csec_ends_line(m->text[line - 1]);
  if (!begins || m->text[i] != '"' || m->text[start - 1] != '"' || !csec_begins(m->text, m->size, i, "\",\"")) return i;
  size_t end = csec_quoted_end(m, from, '"', 0);
  bool ends = csec_at(m, end) == '"' && csec_is_line_end(m, end + 1);
  if (!ends || csec_last_key_secrecy(m) < CSEC_SECRET_NAME) return i;
  return looks_random(m, from, end, true) ? csec_mask(m, from, end) : i;
}

size_t csec_read_list(struct csec_masking *m, size_t i) {
  size_t start = m->key_start, row = read_row(m, i);
  if (row > i) return row;
  // `password`, `email`: names of columns.
  if (start < 2 || m->text[start - 1] != m->text[i] || m->text[i] == '`') return i;
  size_t before = start - 1, least = before > BLANKS_MAX ? before - BLANKS_MAX : 1;
  while (before > least && (uint8_t)m->text[before - 1] <= ' ') before--;
  char sign = m->text[before - 1];
  bool is_first = sign == '[' || sign == '(', is_later = sign == ',';
  size_t comma = skip_space(m, i + 1), from = skip_space(m, comma + 1);
  if ((!is_first && !is_later) || csec_at(m, comma) != ',' || !csec_is_quote(csec_at(m, from))) return i;
  enum csec_secrecy secrecy = csec_last_key_secrecy(m);
  if (secrecy == CSEC_NOT_SECRET) return i;
  size_t end = csec_quoted_end(m, from + 1, m->text[from], 0), close = skip_space(m, end + 1);
  bool is_last = csec_at(m, close) == ']' || csec_at(m, close) == ')', is_sole = is_first && is_last;
  if (!is_sole && !has_pairs_before(m, start - 1)) return i;
  if (!is_last && (csec_at(m, close) != ',' || csec_at(m, end) != m->text[from])) return i;
  bool is_secret = is_sole && secrecy >= CSEC_SECRET_NAME ? end > from + 1 : looks_random(m, from + 1, end, true);
  if (!is_sole) is_secret = is_value_in_list(m, from + 1, end, secrecy);
  return is_secret ? csec_mask(m, from + 1, end) : i;
}
