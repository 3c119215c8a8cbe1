// Keys in other languages; secret_foreign.def is the table. Calls nothing: async-signal-safe.
#include "secret_gaps.h"
#include "secret_letters.h"
#include "secrets.h"

struct word {
  const char *bytes;
  size_t size;
};

static const struct word words[] = {
#define WORD(bytes) {bytes, sizeof(bytes) - 1},
#include "secret_foreign.def"
#undef WORD
};

enum { WORDS = sizeof words / sizeof words[0] };

// The first byte of a Greek letter in UTF-8. Below are the letters of Latin words.
enum { FIRST_OF_OTHER_SCRIPT = 0xcd };

static inline char folded(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static bool ends_in(const char *text, size_t size, const struct word *word) {
  for (size_t i = 1; i <= word->size; i++)
    if (i > size || folded(text[size - i]) != word->bytes[word->size - i]) return false;
  size_t start = size - word->size;
  if (start == 0 || !csec_is_token_letter(text[start - 1])) return true;
  // "WiFi密码": a letter of another script is no part of the word, and neither is the last one of a colour.
  return (uint8_t)word->bytes[0] >= FIRST_OF_OTHER_SCRIPT || csec_gap_before(text, start) > 0
         || csec_follows_written_end(text, start);
}

// Whether a word of the table can end so: nearly all other keys are done with here.
static bool may_end(char last) {
  switch (last | 0x20) {
    case 'a':
    case 'd':
    case 'e':
    case 'o':
    case 'u': return true;
    default: return (uint8_t)last >= 0x80;
  }
}

// A letter beyond ASCII, or a blank, near the end.
static bool has_foreign_letter(const char *text, size_t size) {
  enum { NEAR_END = 10 };
  for (size_t i = size > NEAR_END ? size - NEAR_END : 0; i < size; i++)
    if ((uint8_t)text[i] >= 0x80 || text[i] == ' ') return true;
  return false;
}

size_t csec_foreign_key_size(const char *text, size_t size) {
  if (size == 0 || !may_end(text[size - 1]) || !has_foreign_letter(text, size)) return 0;
  for (size_t i = 0; i < WORDS; i++)
    if (folded(text[size - 1]) == words[i].bytes[words[i].size - 1] && ends_in(text, size, &words[i]))
      return words[i].size;
  return 0;
}
