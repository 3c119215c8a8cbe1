// Values of several words without quotes. Calls nothing but the rest of this folder: async-signal-safe.
#include "CGround/memory.h"
#include "secret_scan.h"

// --- Phrases -------------------------------------------------------------------------------------------------------

// "passphrase: correct horse battery staple", "seed words: …"
static bool is_key_of_phrase(const struct csec_masking *m) {
  static const char *const words[] = {"phrase", "mnemonic", "words"};
  for (size_t word = 0; word < sizeof words / sizeof words[0]; word++)
    for (size_t at = m->key_start; at < m->key_end; at++)
      if (csec_begins_in_either_case(m->text, m->key_end, at, words[word])) return true;
  return false;
}

// Behind the words of small letters that follow `end`.
static size_t phrase_end(const struct csec_masking *m, size_t end) {
  for (size_t next = end; csec_at(m, next) == ' ';) {
    size_t word = ++next;
    while (csec_at(m, next) >= 'a' && csec_at(m, next) <= 'z') next++;
    if (next - word < 3 || csec_is_key(csec_at(m, next)) || csec_at(m, next) == ':' || csec_at(m, next) == '=') break;
    end = next;
  }
  return end;
}

// --- Groups --------------------------------------------------------------------------------------------------------

// "4111 1111 1111 1111", "DE89 3704 0044": behind the groups of at most four digits or capitals that follow `end`.
static size_t groups_end(const struct csec_masking *m, size_t end) {
  enum { GROUP_MAX = 4 };
  for (size_t next = end; csec_at(m, next) == ' ';) {
    size_t group = ++next;
    bool has_digit = false;
    for (; csec_is_token_letter(csec_at(m, next)) && m->text[next] < 'a'; next++)
      has_digit |= csec_is_number(m->text[next]);
    if (!has_digit || next - group > GROUP_MAX || csec_at(m, next) == '=') break;
    end = next;
  }
  return end;
}

// The first group has digits too.
static bool is_of_groups(const struct csec_masking *m, size_t i, size_t end) {
  static const char *const words[] = {"iban", "number", "card", NULL};
  size_t start = m->key_end;
  for (const char *const *word = words; *word; word++) {
    size_t size = cgr_length(*word);
    if (start >= m->key_start + size && csec_is_word(m, start - size, start, *word))
      return end - i <= 4 && end > i && csec_is_number(m->text[end - 1]);
  }
  return false;
}

// --- Lines of an environment ---------------------------------------------------------------------------------------

// Whether the line is "DB_PASSWORD=…" or "export DB_PASSWORD=…", with the value at `i`.
static bool is_variable(const struct csec_masking *m, size_t i) {
  static const char *const commands[] = {"export", "env", "set", NULL};
  if (i != m->key_end + 1 || m->text[m->key_end] != '=') return false;
  for (size_t k = m->key_start; k < m->key_end; k++)
    if (m->text[k] >= 'a' && m->text[k] <= 'z') return false;
  size_t start = csec_before_gaps(m->text, m->key_start);
  if (start == 0 || csec_ends_line(m->text[start - 1])) return true;
  size_t end = start - 1, word = end;
  while (word > 0 && end - word < CSEC_KEY_MAX && csec_is_token_letter(m->text[word - 1])) word--;
  if (m->text[end] != ' ' || !csec_is_word_of(m, word, end, commands)) return false;
  word = csec_before_gaps(m->text, word);
  return word == 0 || csec_ends_line(m->text[word - 1]);
}

// Characters of options, pairs, paths and commands.
static bool is_of_other(char c) {
  switch (c) {
    case '=':
    case '/':
    case ':':
    case '$':
    case '|':
    case '&':
    case ';':
    case '<':
    case '>':
    case '(':
    case '{':
    case '[':
    case '\\':
    case '"':
    case '`': return true;
    default: return false;
  }
}

// Words that say something about the variable.
static bool is_said(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {"is",  "was", "has",    "not",      "from",   "for",     "in",      "to",
                                      "at",  "and", "or",     "but",      "with",   "set",     "by",      "on",
                                      "are", "as",  "failed", "rejected", "denied", "invalid", "ignored", NULL};
  return csec_is_word_of(m, from, to, words);
}

// Behind the last word of the line if at least two plain words follow `end`, else `end`.
static size_t line_end(const struct csec_masking *m, size_t end) {
  size_t words = 0, next = end;
  while (csec_at(m, next) == ' ') {
    size_t word = ++next;
    while (next < m->size && (uint8_t)m->text[next] > ' ' && !is_of_other(m->text[next])) next++;
    if (next == word || m->text[word] == '-' || (words == 0 && is_said(m, word, next))) return end;
    words++;
  }
  bool ends = csec_is_line_end(m, next);
  return ends && words >= 2 ? next : end;
}

size_t csec_later_words_end(const struct csec_masking *m, size_t i, size_t end, enum csec_secrecy secrecy) {
  if (csec_at(m, end) != ' ') return end;
  if (is_key_of_phrase(m)) return phrase_end(m, end);
  if (secrecy == CSEC_SECRET_NAME && is_of_groups(m, i, end)) return groups_end(m, end);
  return secrecy == CSEC_SECRET_NAME && is_variable(m, i) ? line_end(m, end) : end;
}
