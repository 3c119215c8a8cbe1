// Calls nothing but the rest of this folder: async-signal-safe. secret_tokens.def is the table.
#include "secret_tokens.h"

#include "secret_letters.h"

#include <stdint.h>

enum { JWT_HEADER_MAX = 512, JWT_HEADER_MIN = 16, JWT_CUT_MIN = 40 };
enum { BACKSLASHES_MAX = 3, DER_MIN = 60, PEM_NAME_MAX = 40, PERCENT_MAX = 200 };

// What begins a token, and how many characters follow at least, or the parts that follow.
struct shape {
  const char *prefix, *parts;
  uint8_t size, least;
};

static const struct shape shapes[] = {
#define INITIAL(letter, c)
#define SHAPE(prefix, least) {prefix, NULL, sizeof(prefix) - 1, least},
#define FORM(prefix, parts) {prefix, parts, sizeof(prefix) - 1, 0},
#include "secret_tokens.def"
#undef INITIAL
#undef SHAPE
#undef FORM
};

// One byte for each shape: the offset of a letter is the number of its first shape.
struct layout {
#define INITIAL(letter, c) char letter[0];
#define SHAPE(prefix, least) char CSEC_LINE_NAME(shape);
#define FORM(prefix, parts) char CSEC_LINE_NAME(shape);
#include "secret_tokens.def"
#undef INITIAL
#undef SHAPE
#undef FORM
};

// One more than the number of a character's first shape; 0: no shape begins with it.
static const uint16_t firsts[UINT8_MAX + 1] = {
#define INITIAL(letter, c) [c] = offsetof(struct layout, letter) + 1,
#define SHAPE(prefix, least)
#define FORM(prefix, parts)
#include "secret_tokens.def"
#undef INITIAL
#undef SHAPE
#undef FORM
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool is_token(char c) {
  return csec_is_token_letter(c) || c == '_' || c == '-' || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

// "/", "\/" and "%2F", as JSON and the queries of URLs write a slash: its size; 0 if there is none.
static size_t slash_size(const char *text, size_t size, size_t at) {
  size_t i = at;
  if (i + 2 < size && text[i] == '%' && text[i + 1] == '2' && (text[i + 2] | 0x20) == 'f') return 3;
  while (i < at + BACKSLASHES_MAX && i < size && text[i] == '\\') i++;
  return i < size && text[i] == '/' ? i + 1 - at : 0;
}

// Behind the prefix at `at`, whose slashes may be escaped; 0 if it is another text.
static size_t prefix_end(const char *text, size_t size, size_t at, const char *prefix) {
  for (size_t step; *prefix; prefix++, at += step) {
    step = *prefix == '/' ? slash_size(text, size, at) : at < size && text[at] == *prefix;
    if (step == 0) return 0;
  }
  return at;
}

// The end of the parts of a path, with escaped slashes between.
static size_t path_end(const char *text, size_t size, size_t at) {
  for (size_t step; at < size; at += step) {
    step = text[at] == '\\' || text[at] == '%' ? slash_size(text, size, at) : is_token(text[at]);
    if (step == 0) break;
  }
  return at;
}

size_t csec_run_end(const char *text, size_t size, size_t at) {
  while (at < size && is_token(text[at])) at++;
  return at;
}

static bool is_in_shape(char c) { return csec_is_token_letter(c) || c == '_' || c == '-' || c == '.' || c == '/'; }

static bool has_at_least(const char *text, size_t size, size_t at, size_t least) {
  for (size_t i = 0; i < least; i++, at++)
    if (at >= size || !is_in_shape(text[at])) return false;
  return true;
}

static bool is_in_class(char c, char class) {
  switch (class) {
    case 'x': return csec_is_number(c) || (c >= 'a' && c <= 'f');
    case 'w': return csec_is_token_letter(c);
    case 'c': return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7');
    case 'b': return csec_is_token_letter(c) || c == '+' || c == '/' || c == '=';
    case 'p': return csec_is_token_letter(c) || c == '%';
    default: return csec_is_token_letter(c) || c == '_' || c == '-';
  }
}

// Whether a part of this class has what it needs: words and names of style sheets begin like some tokens.
static bool is_complete(const char *text, size_t from, size_t to, char class) {
  bool has_number = false, has_capital = false;
  for (size_t i = from; i < to; i++) {
    has_number |= csec_is_number(text[i]);
    has_capital |= text[i] >= 'A' && text[i] <= 'Z';
  }
  return (class != 'm' && class != 'p') || (has_number && has_capital);
}

// Where the parts of a form that begins at `at` end; 0 if they do not follow.
static size_t parts_end(const char *text, size_t size, size_t at, const char *parts) {
  while (*parts) {
    if (!csec_is_number(*parts)) {
      if (at >= size || text[at++] != *parts++) return 0;
      continue;
    }
    size_t least = 0, from = at;
    while (csec_is_number(*parts)) least = least * 10 + (size_t)(*parts++ - '0');
    char class = *parts++;
    size_t most = class == 'p' ? PERCENT_MAX : least;
    while (at < size && at - from < most && is_in_class(text[at], class)) at++;
    if (at - from < least || !is_complete(text, from, at, class)) return 0;
  }
  return at;
}

// "webhookb2/GUID@GUID/IncomingWebhook/…": the secret is behind the '@'.
static size_t token_end(const char *text, size_t size, size_t at, bool is_escaped) {
  size_t end = is_escaped ? path_end(text, size, at) : csec_run_end(text, size, at);
  // "access_token$production$a1b2$c3d4"
  if (text[at - 1] == '$' && end + 1 < size && text[end] == '$') return csec_run_end(text, size, end + 1);
  size_t rest = end + sizeof "@00000000-0000-0000-0000-000000000000" - 1;
  if (end >= size || text[end] != '@' || prefix_end(text, size, rest, "/IncomingWebhook/") == 0) return end;
  return is_escaped ? path_end(text, size, rest) : csec_run_end(text, size, rest);
}

// The end of a token of this shape whose rest begins at `body`; 0 if the rest is too short.
static size_t rest_end(const char *text, size_t size, size_t at, size_t body, const struct shape *shape) {
  if (shape->parts) {
    size_t end = parts_end(text, size, body, shape->parts);
    return end > 0 ? csec_run_end(text, size, end) : 0;
  }
  bool is_escaped = body > at + shape->size;
  if (is_escaped) return path_end(text, size, body) >= body + shape->least ? token_end(text, size, body, true) : 0;
  return has_at_least(text, size, body, shape->least) ? token_end(text, size, body, false) : 0;
}

static size_t shaped_end(const char *text, size_t size, size_t at) {
  size_t i = firsts[(uint8_t)text[at]];
  if (i == 0) return at;
  for (i--; i < SHAPES && shapes[i].prefix[0] == text[at]; i++) {
    const struct shape *shape = &shapes[i];
    if (at + 1 < size && (uint8_t)shape->prefix[1] > (uint8_t)text[at + 1]) break;
    bool is_other = shape->size > 1 && shape->prefix[1] != '/' && at + 1 < size && shape->prefix[1] != text[at + 1];
    if (is_other) continue;
    size_t body = prefix_end(text, size, at, shape->prefix);
    size_t end = body > 0 ? rest_end(text, size, at, body, shape) : 0;
    if (end > 0) return end;
  }
  return at;
}

// A header in base64 of JSON, a dot, and the next part. A header alone is masked too if it is long: the text was cut.
static size_t jwt_end(const char *text, size_t size, size_t at) {
  if (!csec_begins(text, size, at, "eyJ")) return at;
  size_t i = at;
  while (i < size && i < at + JWT_HEADER_MAX && is_token(text[i]) && text[i] != '.') i++;
  bool has_dot = i < size && text[i] == '.', is_long = i - at >= JWT_HEADER_MIN;
  if (has_dot && (csec_begins(text, size, i + 1, "eyJ") || (is_long && has_at_least(text, size, i + 1, 8))))
    return csec_run_end(text, size, i);
  return i - at >= JWT_CUT_MIN ? csec_run_end(text, size, i) : at;
}

// "%0A" and "%2B" are part of a key in percent encoding.
static bool is_in_pem(char c) {
  return csec_is_token_letter(c) || c == '+' || c == '/' || c == '=' || c == '\\' || c == '%';
}

// The first line of a key in PEM whose "BEGIN" was cut off.
static size_t der_end(const char *text, size_t size, size_t at) {
  if (!csec_begins(text, size, at, "MII")) return at;
  size_t end = at;
  while (end < size && is_in_pem(text[end])) end++;
  return end - at >= DER_MIN ? end : at;
}

// How many bytes stand for a blank: in a form it is '+' or "%20".
static size_t blank_size(const char *text, size_t size, size_t at) {
  if (at < size && (text[at] == ' ' || text[at] == '+')) return 1;
  if (csec_begins(text, size, at, "%20")) return 3;
  return csec_begins(text, size, at, "%2520") ? 5 : 0;
}

// Whether the words of a line of PEM stand there, in percent encoding too.
static bool has_words(const char *text, size_t size, size_t at, const char *words) {
  for (; *words; words++) {
    size_t length = *words == ' ' ? blank_size(text, size, at) : (size_t)(at < size && text[at] == *words);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

static size_t pem_end(const char *text, size_t size, size_t at) {
  bool is_ssh2 = has_words(text, size, at, "---- BEGIN ");
  if (!is_ssh2 && !has_words(text, size, at, "-----BEGIN ")) return at;
  const char *close = is_ssh2 ? "---- END " : "-----END ", *dashes = is_ssh2 ? " ----" : "-----";
  size_t name = at;
  while (name < at + PEM_NAME_MAX && !has_words(text, size, name, "PRIVATE KEY")) name++;
  if (name == at + PEM_NAME_MAX) return at;
  size_t end = name;
  while (end < size && !has_words(text, size, end, close)) end++;
  for (end += end < size ? 9 : 0; end < size && !csec_begins(text, size, end, dashes); end++) {
  }
  return end < size ? end + 5 : size;
}

size_t csec_key_tail(const char *text, size_t kept, size_t at) {
  while (at > kept && (is_in_pem(text[at - 1]) || text[at - 1] == '\n' || text[at - 1] == '\r')) at--;
  return at;
}

size_t csec_tail_end(const char *text, size_t size, size_t at) {
  if (!has_words(text, size, at, "-----END ")) return at;
  size_t name = at + 9;
  while (name < size && name < at + PEM_NAME_MAX && !has_words(text, size, name, "PRIVATE KEY")) name++;
  if (name == size || name == at + PEM_NAME_MAX) return at;
  size_t end = name;
  while (end < size && end < name + PEM_NAME_MAX && !csec_begins(text, size, end, "-----")) end++;
  return end < size && text[end] == '-' ? end + 5 : name + 11;
}

enum { BOT_DIGITS_MIN = 8, BOT_DIGITS_MAX = 10, BOT_LETTERS = 35, NAMED_DIGITS_MIN = 5, NAMED_LETTERS = 32 };

size_t csec_bot_token_end(const char *text, size_t size, size_t *from, size_t colon) {
  size_t start = colon, end = colon + 1;
  while (start > *from && colon - start <= BOT_DIGITS_MAX && csec_is_number(text[start - 1])) start--;
  // "api.telegram.org/bot123456:ABC-…"
  bool is_named = start >= *from + 3 && csec_begins(text, size, start - 3, "bot");
  size_t least = is_named ? NAMED_DIGITS_MIN : BOT_DIGITS_MIN;
  if (colon - start < least || colon - start > BOT_DIGITS_MAX) return colon;
  if (!is_named && !csec_begins(text, size, colon + 1, "AA")) return colon;
  while (end < size && (csec_is_token_letter(text[end]) || text[end] == '_' || text[end] == '-')) end++;
  *from = start;
  return end - colon - 1 >= (is_named ? NAMED_LETTERS : BOT_LETTERS) ? end : colon;
}

static size_t scheme_or_shape_end(const char *text, size_t size, size_t *from) {
  size_t at = *from, end = csec_after_scheme(text, size, from);
  return end > at ? end : shaped_end(text, size, at);
}

static size_t smtp_or_shape_end(const char *text, size_t size, size_t *from) {
  size_t at = *from, end = csec_smtp_end(text, size, from);
  return end > at ? end : shaped_end(text, size, at);
}

static size_t hash_or_shape_end(const char *text, size_t size, size_t at) {
  // "$6$", "pbkdf2"
  char second = at + 1 < size ? text[at + 1] : 0;
  bool may_be_hash = text[at] == '$' || second == 'b';
  size_t end = may_be_hash ? csec_hash_end(text, size, at) : at;
  return end > at ? end : shaped_end(text, size, at);
}

static size_t jwt_or_shape_end(const char *text, size_t size, size_t at) {
  size_t end = jwt_end(text, size, at);
  return end > at ? end : shaped_end(text, size, at);
}

static size_t putty_or_shape_end(const char *text, size_t size, size_t *from) {
  size_t at = *from, end = csec_putty_end(text, size, from);
  return end > at ? end : shaped_end(text, size, at);
}

static size_t pem_or_shape_end(const char *text, size_t size, size_t at) {
  size_t end = csec_encoded_key_end(text, size, at);
  return end > at ? end : shaped_end(text, size, at);
}

size_t csec_token_end(const char *text, size_t size, size_t *from) {
  size_t at = *from, end = csec_azure_end(text, size, at);
  if (end > at) return end;
  switch (text[at]) {
    case '$':
    case 'p': return hash_or_shape_end(text, size, at);
    case 'S': end = csec_hash_end(text, size, at); return end > at ? end : scheme_or_shape_end(text, size, from);
    case 'U': return smtp_or_shape_end(text, size, from);
    case 'B':
    case 'G':
    case 'N':
    case 'b':
    case 'g':
    case 'n': return scheme_or_shape_end(text, size, from);
    case 'P': return putty_or_shape_end(text, size, from);
    case 'L': return pem_or_shape_end(text, size, at);
    case 'e': return jwt_or_shape_end(text, size, at);
    case 'M': return csec_begins(text, size, at, "MII") ? der_end(text, size, at) : shaped_end(text, size, at);
    case '-': return pem_end(text, size, at);
    default: return shaped_end(text, size, at);
  }
}
