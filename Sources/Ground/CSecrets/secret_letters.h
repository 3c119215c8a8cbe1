#pragma once
// What single characters mean where secrets are searched. Async-signal-safe.
#include <stdbool.h>
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

/// The character that two hexadecimal digits after '%' stand for; -1 if they are none.
static inline int csec_percent_decoded(const char *text) {
  int value = 0;
  for (int i = 1; i < 3; i++) {
    char c = text[i] | 0x20;
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
