// Whether a text can hold a credential at all: every breadcrumb comes through here. Calls nothing: async-signal-safe.
#include "secret_scan.h"

enum { RUN_MIN = 16, OTHERS_MIN = 4 };

typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t eight __attribute__((aligned(1), may_alias));
typedef uint32_t four __attribute__((aligned(1), may_alias));
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
  sixteen found = {0};
  // Sixteen pairs at a time, the last ones a second time.
  for (size_t i = 0; size > 16; i = i + 33 <= size ? i + 16 : size - 17) {
    sixteen c = *(const sixteen *)(const void *)(text + i);
    sixteen a = c | 0x20, b = *(const sixteen *)(const void *)(text + i + 1) | 0x20;
    found |= (sixteen)(((a == 's') & (b == 's')) | ((a == 'c') & (b == 'r')) | ((a == 'o') & (b == 'k')));
    found |= (sixteen)((c == 'B') & ((b == 'e') | (b == 'a')));
    if (i + 17 == size) break;
  }
  two_words words = (two_words)found;
  if (size > 16) return (words[0] | words[1]) != 0;
  bool any = false;
  for (size_t i = 0; i + 1 < size; i++) {
    uint8_t a = (uint8_t)text[i] | 0x20, b = (uint8_t)text[i + 1] | 0x20;
    any |= (a == 's' && b == 's') | (a == 'c' && b == 'r') | (a == 'o' && b == 'k');
    any |= text[i] == 'B' && (b == 'e' || b == 'a');
  }
  return any;
}

static bool holds_word(const char *text, size_t size) {
  for (size_t i = 0; i + 4 <= size; i++)
    if (begins_word(text + i)) return true;
  return false;
}

static bool is_in_run(char c) { return ck_is_token_letter(c) || c == '+' || c == '/'; }

// A long word with digits or capitals in it, as tokens have. Most words end before they are looked at whole.
static bool holds_run(const char *text, size_t size) {
  for (size_t i = 0; i + RUN_MIN <= size;) {
    size_t others = 0, back = RUN_MIN;
    while (back > 0 && is_in_run(text[i + back - 1])) others += text[i + --back] < 'a';
    if (back > 0) {
      i += back;
      continue;
    }
    for (; others < OTHERS_MIN; i++) {
      if (i + RUN_MIN >= size || !is_in_run(text[i + RUN_MIN])) break;
      others += (size_t)(text[i + RUN_MIN] < 'a') - (size_t)(text[i] < 'a');
    }
    if (others >= OTHERS_MIN) return true;
    i += RUN_MIN + 1;
  }
  return false;
}

// The bytes of a text of at most 16: some of them twice, the rest zeros.
static sixteen short_text(const char *text, size_t size) {
  two_words words = {0};
  if (size >= 8) {
    words[0] = *(const eight *)(const void *)text;
    words[1] = *(const eight *)(const void *)(text + size - 8);
  } else if (size >= 4) {
    words[0] = *(const four *)(const void *)text;
    words[1] = *(const four *)(const void *)(text + size - 4);
  } else if (size > 0) {
    words[0] = (uint8_t)text[0] | (uint64_t)(uint8_t)text[size / 2] << 8 | (uint64_t)(uint8_t)text[size - 1] << 16;
  }
  return (sixteen)words;
}

bool ck_may_hold_secret(const char *text, size_t size) {
  two_words strong = {0}, weak = {0};
  // Sixteen at a time, the last ones a second time.
  for (size_t i = 0;; i = i + 32 <= size ? i + 16 : size - 16) {
    sixteen c = size >= 16 ? *(const sixteen *)(const void *)(text + i) : short_text(text, size);
    strong |= (two_words)((c - '-' < 2) | (c - ':' < 4) | (c == '_') | (c == '%'));
    weak |= (two_words)((c - '0' < 10) | (c - 'A' < 2));
    if (i + 16 >= size) break;
  }
  if (strong[0] | strong[1]) return true;
  if (!(weak[0] | weak[1])) return false;
  return (holds_pair(text, size) && holds_word(text, size)) || holds_run(text, size);
}
