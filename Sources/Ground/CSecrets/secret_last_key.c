// Which word is the key of a pair, and how secret its value is. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

// In the query of a URL even these open what the URL names. A code may also be a number of a status.
static enum csec_secrecy secrecy_in_query(const struct csec_masking *m) {
  static const char *const words[] = {"sig", "signature", "key", "session", "assertion", "ticket", NULL};
  char before = m->key_start > 0 ? m->text[m->key_start - 1] : 0;
  if (before != '?' && before != '&') return CSEC_NOT_SECRET;
  if (csec_is_word(m, m->key_start, m->key_end, "code")) return CSEC_SECRET_TOKEN;
  if (csec_is_word(m, m->key_start, m->key_end, "appid")) return CSEC_SECRET_RARELY;
  return csec_is_word_of(m, m->key_start, m->key_end, words) ? CSEC_SECRET_NAME : CSEC_NOT_SECRET;
}

// "api key", "security code": the word before belongs to it. So it does in "card number" and "credit card".
static size_t start_of_two_words(const struct csec_masking *m) {
  static const char *const words[] = {"key", "code", "phrase", "words", "number", "card", NULL};
  static const char *const of_card[] = {"number", "card", NULL}, *const cards[] = {"card", "credit", NULL};
  size_t start = m->key_start, end = m->key_end;
  // "Unseal Key 1"
  if (csec_is_number(m->text[start]) && start > 4 && csec_is_word(m, start - 4, start, "key ")
      && csec_digits_end(m, start, start + 3 < end ? start + 3 : end) == end) {
    end = start - 1;
    start -= 4;
  }
  if (!csec_is_word_of(m, start, end, words) || start < 2 || m->text[start - 1] != ' ') return m->key_start;
  for (start--; start > 0 && m->key_start - start < CSEC_KEY_MAX && csec_is_key(m->text[start - 1]); start--) {
  }
  bool is_card = csec_is_word_of(m, m->key_start, m->key_end, of_card);
  return is_card && !csec_is_word_of(m, start, m->key_start - 1, cards) ? m->key_start : start;
}

enum csec_secrecy csec_last_key_secrecy(const struct csec_masking *m) {
  size_t start = start_of_two_words(m);
  if (m->key_end - start > CSEC_KEY_MAX) start = m->key_end - CSEC_KEY_MAX;
  enum csec_secrecy secrecy = csec_key_secrecy(m->text + start, m->key_end - start);
  if (secrecy != CSEC_NOT_SECRET) return secrecy;
  // "-Dbasicauth=u:p" of Java
  size_t bare = csec_begins(m->text, m->key_end, start, "-D") ? start + 2 : start;
  if (csec_at(m, start) == 'D' && start > 0 && m->text[start - 1] == '-') bare = start + 1;
  return bare > start ? csec_key_secrecy(m->text + bare, m->key_end - bare) : secrecy;
}

enum csec_secrecy csec_pair_secrecy(struct csec_masking *m, char sign) {
  enum csec_secrecy secrecy = csec_last_key_secrecy(m);
  if (secrecy > CSEC_SECRET_RARELY) return secrecy;
  if (sign == ':' && csec_is_key_of_jwk(m)) return CSEC_SECRET_NAME;
  if (sign == '=' && csec_is_pragma(m)) return CSEC_SECRET_NAME;
  enum csec_secrecy in_query = sign == '=' ? secrecy_in_query(m) : CSEC_NOT_SECRET;
  return in_query > secrecy ? in_query : secrecy;
}

// Where the word begins that ends at `end`, if letters that look like Latin ones belong to it.
static size_t word_start(const struct csec_masking *m, size_t least, size_t end) {
  size_t start = end, length;
  while (start > least) {
    if (csec_is_key(m->text[start - 1]))
      start--;
    else if (start > least + 1 && csec_lookalike_at(m->text, start, start - 2, &length))
      start -= 2;
    else
      break;
  }
  return start;
}

void csec_take_foreign_key(struct csec_masking *m, size_t i) {
  size_t least = i > m->kept + CSEC_KEY_MAX ? i - CSEC_KEY_MAX : m->kept, end = i;
  while (end > least && (csec_is_blank(m->text[end - 1]) || csec_is_quote(m->text[end - 1]) || end == m->gap_end)) {
    size_t before = end == m->gap_end ? csec_before_gaps(m->text, m->gap_start) : end;
    end = before < end && before >= least ? before : end - 1;
  }
  size_t size = csec_foreign_key_size(m->text + least, end - least), start = word_start(m, least, end);
  bool is_disguised = csec_has_lookalike(m->text + start, end - start)
                      && csec_key_secrecy(m->text + start, end - start) > CSEC_PERHAPS_SECRET;
  if (is_disguised) size = end - start;
  if (size == 0) return;
  m->key_start = end - size;
  m->key_end = end;
}
