// The text after the words Bearer, Basic, Negotiate, NTLM, GenieKey and SSWS. Calls nothing but the rest of this
// folder: async-signal-safe.
#include "secret_gaps.h"
#include "secret_letters.h"
#include "secret_tokens.h"

enum { SCHEME_TOKEN_MIN = 8, IDENTIFIER_MAX = 20 };

// Behind the word in either case, the blanks that follow and a quote; `at` if it is another.
static size_t behind_word(const char *text, size_t size, size_t at, const char *word) {
  size_t i = at;
  for (; *word; word++, i++)
    if (i >= size || (text[i] | 0x20) != *word) return at;
  size_t start = i, length;
  // Scheme.Basic("x")
  if (i < size && text[i] == '(') {
    i += csec_begins(text, size, i, "(\\") ? 2 : 1;
    return i < size && csec_is_quote(text[i]) ? i + 1 : at;
  }
  for (;;) {
    if (i < size && (text[i] == ' ' || text[i] == '\t'))
      i++;
    else if (csec_begins(text, size, i, "%20"))
      i += 3;
    else if (csec_gap_at(text, size, i, &length) != CSEC_NO_GAP)
      i += length;
    else
      break;
  }
  if (i == start) return at;
  return i < size && csec_is_quote(text[i]) ? i + 1 : i;
}

// The number that a character of base64 stands for; -1 for others.
static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (csec_is_number(c)) return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// "Basic UInt8Array": a short name behind the word, which is no user and password with ':' between.
static bool is_identifier(const char *text, size_t from, size_t to) {
  uint32_t bits = 0, count = 0;
  if (to - from >= IDENTIFIER_MAX) return false;
  for (size_t i = from; i < to; i++) {
    int digit = csec_is_token_letter(text[i]) ? base64_digit(text[i]) : -1;
    if (digit < 0) return false;
    bits = bits << 6 | (uint32_t)digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    if ((bits >> count & 0xff) == ':') return false;
  }
  return true;
}

// A word is no token: it has digits, or capitals inside.
size_t csec_after_scheme(const char *text, size_t size, size_t *from) {
  size_t start = *from;
  static const char *const schemes[] = {"bearer", "basic", "negotiate", "ntlm", "geniekey", "ssws", NULL};
  for (const char *const *scheme = schemes; *scheme && start == *from; scheme++)
    start = behind_word(text, size, *from, *scheme);
  if (start == *from) return *from;
  size_t end = csec_run_end(text, size, start);
  bool is_mixed = false;
  for (size_t i = start + 1; i < end; i++)
    is_mixed |= (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'A' && text[i] <= 'Z') || text[i] == '=';
  if (end - start < SCHEME_TOKEN_MIN || !is_mixed) return *from;
  if ((text[*from + 1] | 0x20) == 'a' && is_identifier(text, start, end)) return *from;
  *from = start;
  return end;
}
