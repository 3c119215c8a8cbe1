// Whether a text can hold a credential at all: every breadcrumb comes through here. Calls nothing: async-signal-safe.
#include "secret_scan.h"

enum { RUN_MIN = 16, OTHERS_MIN = 4 };

typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t two_words __attribute__((vector_size(16)));

static bool goes_on(const char *text, const char *rest) {
  return (text[1] | 0x20) == rest[0] && (text[2] | 0x20) == rest[1] && (text[3] | 0x20) == rest[2];
}

// "Bearer", "Basic", and the nouns of sentences: password, secret, token.
static bool begins_word(const char *text) {
  switch (text[0] | 0x20) {
    case 'b': return text[0] == 'B' && (goes_on(text, "ear") || goes_on(text, "asi"));
    case 'p': return goes_on(text, "ass");
    case 's': return goes_on(text, "ecr");
    case 't': return goes_on(text, "oke");
    default: return false;
  }
}

// Two letters that stand in each of these words; most texts have none of them.
static bool holds_pair(const char *text, size_t size) {
  uint8_t found = 0;
  for (size_t i = 0; i + 1 < size; i++) {
    uint8_t a = (uint8_t)text[i] | 0x20, b = (uint8_t)text[i + 1] | 0x20;
    found |= (a == 's' && b == 's') | (a == 'c' && b == 'r') | (a == 'o' && b == 'k');
    found |= text[i] == 'B' && (b == 'e' || b == 'a');
  }
  return found;
}

static bool holds_word(const char *text, size_t size) {
  for (size_t i = 0; i + 4 <= size; i++)
    if (begins_word(text + i)) return true;
  return false;
}

static bool is_in_run(char c) { return ck_is_token_letter(c) || c == '+' || c == '/'; }

// A long word with digits or capitals in it, as tokens have.
static bool holds_run(const char *text, size_t size) {
  for (size_t i = 0; i + RUN_MIN <= size;) {
    size_t others = 0, back = RUN_MIN;
    while (back > 0 && is_in_run(text[i + back - 1])) others += text[i + --back] < 'a';
    if (back == 0 && others >= OTHERS_MIN) return true;
    i += back > 0 ? back : 1;
  }
  return false;
}

bool ck_may_hold_secret(const char *text, size_t size) {
  two_words strong = {0}, weak = {0};
  // Sixteen at a time, the last ones a second time.
  for (size_t i = 0; size >= 16; i = i + 32 <= size ? i + 16 : size - 16) {
    sixteen c = *(const sixteen *)(const void *)(text + i);
    strong |= (two_words)((c - '-' < 2) | (c - ':' < 4) | (c == '_') | (c == '%'));
    weak |= (two_words)((c - '0' < 10) | (c - 'A' < 2));
    if (i + 16 == size) break;
  }
  for (size_t i = 0; i < size && size < 16; i++) {
    uint8_t c = (uint8_t)text[i];
    strong[0] |= (uint8_t)(c - '-') < 2 | (uint8_t)(c - ':') < 4 | (c == '_') | (c == '%');
    weak[0] |= (uint8_t)(c - '0') < 10 | (uint8_t)(c - 'A') < 2;
  }
  if (strong[0] | strong[1]) return true;
  if (!(weak[0] | weak[1])) return false;
  return (holds_pair(text, size) && holds_word(text, size)) || holds_run(text, size);
}
