// Calls nothing: async-signal-safe. secret_tokens.def is the table.
#include "secret_tokens.h"

#include "secret_letters.h"

#include <stdint.h>

enum { JWT_HEADER_MAX = 512, JWT_HEADER_MIN = 16, JWT_CUT_MIN = 40 };
enum { DER_MIN = 60, PEM_NAME_MAX = 40, SCHEME_TOKEN_MIN = 8 };

// What begins a token, and how many characters follow at least.
struct shape {
  const char *prefix;
  uint8_t size, least;
};

static const struct shape shapes[] = {
#define INITIAL(letter, c)
#define SHAPE(prefix, least) {prefix, sizeof(prefix) - 1, least},
#include "secret_tokens.def"
#undef INITIAL
#undef SHAPE
};

// One byte for each shape: the offset of a letter is the number of its first shape.
struct layout {
#define INITIAL(letter, c) char letter[0];
#define SHAPE(prefix, least) char CSEC_LINE_NAME(shape);
#include "secret_tokens.def"
#undef INITIAL
#undef SHAPE
};

// One more than the number of a letter's first shape; 0: no shape begins with it.
static const uint8_t firsts['z' - 'A' + 1] = {
#define INITIAL(letter, c) [(c) - 'A'] = offsetof(struct layout, letter) + 1,
#define SHAPE(prefix, least)
#include "secret_tokens.def"
#undef INITIAL
#undef SHAPE
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool is_token(char c) {
  return csec_is_token_letter(c) || c == '_' || c == '-' || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

static bool begins(const char *text, size_t size, size_t at, const char *prefix) {
  for (; *prefix; prefix++, at++)
    if (at >= size || text[at] != *prefix) return false;
  return true;
}

static size_t run_end(const char *text, size_t size, size_t at) {
  while (at < size && is_token(text[at])) at++;
  return at;
}

static bool is_in_shape(char c) { return csec_is_token_letter(c) || c == '_' || c == '-' || c == '.' || c == '/'; }

static bool has_at_least(const char *text, size_t size, size_t at, size_t least) {
  for (size_t i = 0; i < least; i++, at++)
    if (at >= size || !is_in_shape(text[at])) return false;
  return true;
}

static size_t shaped_end(const char *text, size_t size, size_t at) {
  size_t i = text[at] >= 'A' && text[at] <= 'z' ? firsts[text[at] - 'A'] : 0;
  if (i == 0) return at;
  for (i--; i < SHAPES && shapes[i].prefix[0] == text[at]; i++) {
    const struct shape *shape = &shapes[i];
    if (!begins(text, size, at, shape->prefix)) continue;
    size_t body = at + shape->size;
    if (has_at_least(text, size, body, shape->least)) return run_end(text, size, body);
  }
  return at;
}

// A header in base64 of JSON, a dot, and the next part. A header alone is masked too if it is long: the text was cut.
static size_t jwt_end(const char *text, size_t size, size_t at) {
  if (!begins(text, size, at, "eyJ")) return at;
  size_t i = at;
  while (i < size && i < at + JWT_HEADER_MAX && is_token(text[i]) && text[i] != '.') i++;
  bool has_dot = i < size && text[i] == '.', is_long = i - at >= JWT_HEADER_MIN;
  if (has_dot && (begins(text, size, i + 1, "eyJ") || (is_long && has_at_least(text, size, i + 1, 8))))
    return run_end(text, size, i);
  return i - at >= JWT_CUT_MIN ? run_end(text, size, i) : at;
}

static bool is_in_pem(char c) { return csec_is_token_letter(c) || c == '+' || c == '/' || c == '=' || c == '\\'; }

// The first line of a key in PEM whose "BEGIN" was cut off.
static size_t der_end(const char *text, size_t size, size_t at) {
  if (!begins(text, size, at, "MII")) return at;
  size_t end = at;
  while (end < size && is_in_pem(text[end])) end++;
  return end - at >= DER_MIN ? end : at;
}

static size_t pem_end(const char *text, size_t size, size_t at) {
  if (!begins(text, size, at, "-----BEGIN ")) return at;
  size_t name = at;
  while (name < at + PEM_NAME_MAX && !begins(text, size, name, "PRIVATE KEY")) name++;
  if (name == at + PEM_NAME_MAX) return at;
  size_t end = name;
  while (end < size && !begins(text, size, end, "-----END ")) end++;
  for (end += end < size ? 9 : 0; end < size && !begins(text, size, end, "-----"); end++) {
  }
  return end < size ? end + 5 : size;
}

static bool begins_word(const char *text, size_t size, size_t at, const char *word) {
  for (; *word; word++, at++)
    if (at >= size || (text[at] | 0x20) != *word) return false;
  return at < size && text[at] == ' ';
}

// A word is no token: it has digits, or capitals inside.
static size_t after_scheme(const char *text, size_t size, size_t *from) {
  size_t start = *from;
  if (begins_word(text, size, start, "bearer"))
    start += 7;
  else if (begins_word(text, size, start, "basic"))
    start += 6;
  if (start == *from) return *from;
  size_t end = run_end(text, size, start);
  bool is_mixed = false;
  for (size_t i = start + 1; i < end; i++)
    is_mixed |= (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'A' && text[i] <= 'Z') || text[i] == '=';
  if (end - start < SCHEME_TOKEN_MIN || !is_mixed) return *from;
  *from = start;
  return end;
}

size_t csec_key_tail(const char *text, size_t kept, size_t at) {
  while (at > kept && (is_in_pem(text[at - 1]) || text[at - 1] == '\n' || text[at - 1] == '\r')) at--;
  return at;
}

size_t csec_tail_end(const char *text, size_t size, size_t at) {
  if (!begins(text, size, at, "-----END ")) return at;
  size_t name = at + 9;
  while (name < size && name < at + PEM_NAME_MAX && !begins(text, size, name, "PRIVATE KEY")) name++;
  if (name == size || name == at + PEM_NAME_MAX) return at;
  size_t end = name;
  while (end < size && end < name + PEM_NAME_MAX && !begins(text, size, end, "-----")) end++;
  return end < size && text[end] == '-' ? end + 5 : name + 11;
}

enum { BOT_DIGITS_MIN = 8, BOT_DIGITS_MAX = 10, BOT_LETTERS = 33 };

size_t csec_bot_token_end(const char *text, size_t size, size_t *from, size_t colon) {
  size_t start = colon, end = colon + 3;
  while (start > *from && colon - start <= BOT_DIGITS_MAX && csec_is_number(text[start - 1])) start--;
  if (colon - start < BOT_DIGITS_MIN || colon - start > BOT_DIGITS_MAX) return colon;
  if (!begins(text, size, colon + 1, "AA")) return colon;
  while (end < size && (csec_is_token_letter(text[end]) || text[end] == '_' || text[end] == '-')) end++;
  *from = start;
  return end - colon - 3 >= BOT_LETTERS ? end : colon;
}

static size_t scheme_or_shape_end(const char *text, size_t size, size_t *from) {
  size_t at = *from, end = after_scheme(text, size, from);
  return end > at ? end : shaped_end(text, size, at);
}

size_t csec_token_end(const char *text, size_t size, size_t *from) {
  size_t at = *from;
  switch (text[at]) {
    case 'B':
    case 'b': return scheme_or_shape_end(text, size, from);
    case 'e': return jwt_end(text, size, at);
    case 'M': return der_end(text, size, at);
    case '-': return pem_end(text, size, at);
    default: return shaped_end(text, size, at);
  }
}
