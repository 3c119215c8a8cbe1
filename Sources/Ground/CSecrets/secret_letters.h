#pragma once
// The meaning of single characters in the search for secrets. Async-signal-safe.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool csec_is_token_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static inline bool csec_is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool csec_is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
static inline bool csec_ends_line(char c) { return c == '\n' || c == '\r'; }
static inline bool csec_is_number(char c) { return c >= '0' && c <= '9'; }
static inline bool csec_ends_word(char c) {
  return (uint8_t)c <= ' ' || c == 0x7f || csec_is_quote(c) || c == '<' || c == '>';
}
static inline bool csec_is_key(char c) { return csec_is_token_letter(c) || c == '_' || c == '.' || c == '-'; }

/// Whether a quote or bracket before this character can be the end of a value.
static inline bool csec_can_follow(char c) {
  if ((uint8_t)c <= ' ' || c == 0x7f || csec_is_quote(c)) return true;
  switch (c) {
    case ',':
    case ';':
    case ':':
    case '.':
    case ')':
    case ']':
    case '}':
    case '>':
    case '<':
    case '/':
    case '|':
    case '\\':
    case '&': return true;
    default: return false;
  }
}

/// The number that a hexadecimal digit stands for, in either case; -1 if it is none.
static inline int csec_hexadecimal_digit(char c) {
  if (csec_is_number(c)) return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Whether this text, or this one in either case, begins at `at`. A word in either case is given in small letters.
static inline bool csec_begins(const char *text, size_t size, size_t at, const char *prefix) {
  for (; *prefix; prefix++, at++)
    if (at >= size || text[at] != *prefix) return false;
  return true;
}
static inline bool csec_begins_in_either_case(const char *text, size_t size, size_t at, const char *prefix) {
  for (; *prefix; prefix++, at++)
    if (at >= size || (text[at] | 0x20) != *prefix) return false;
  return true;
}

/// Whether the text is this word and no longer.
static inline bool csec_is_exactly(const char *text, size_t size, const char *word) {
  size_t i = 0;
  while (i < size && word[i] && text[i] == word[i]) i++;
  return i == size && !word[i];
}

/// The character that two hexadecimal digits after '%' stand for; -1 if they are none.
static inline int csec_percent_decoded(const char *text) {
  int value = 0;
  for (int i = 1; i < 3; i++) {
    int digit = csec_hexadecimal_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
