// Letters of other scripts that look like Latin ones. Calls nothing: async-signal-safe.
#include "secret_letters.h"
#include "secrets.h"

// By their numbers in Unicode, the Greek ones first.
static const struct {
  uint16_t number;
  char latin;
} lookalikes[] = {
    {0x391, 'A'}, {0x392, 'B'}, {0x395, 'E'}, {0x396, 'Z'}, {0x397, 'H'}, {0x399, 'I'}, {0x39a, 'K'}, {0x39c, 'M'},
    {0x39d, 'N'}, {0x39f, 'O'}, {0x3a1, 'P'}, {0x3a4, 'T'}, {0x3a5, 'Y'}, {0x3a7, 'X'}, {0x3b1, 'a'}, {0x3b5, 'e'},
    {0x3b9, 'i'}, {0x3ba, 'k'}, {0x3bd, 'v'}, {0x3bf, 'o'}, {0x3c1, 'p'}, {0x3c4, 't'}, {0x3c5, 'u'}, {0x3c9, 'w'},
    {0x405, 'S'}, {0x406, 'I'}, {0x408, 'J'}, {0x410, 'A'}, {0x412, 'B'}, {0x415, 'E'}, {0x41a, 'K'}, {0x41c, 'M'},
    {0x41d, 'H'}, {0x41e, 'O'}, {0x420, 'P'}, {0x421, 'C'}, {0x422, 'T'}, {0x423, 'Y'}, {0x425, 'X'}, {0x430, 'a'},
    {0x435, 'e'}, {0x43a, 'k'}, {0x43c, 'm'}, {0x43d, 'h'}, {0x43e, 'o'}, {0x440, 'p'}, {0x441, 'c'}, {0x442, 't'},
    {0x443, 'y'}, {0x445, 'x'}, {0x455, 's'}, {0x456, 'i'}, {0x458, 'j'}, {0x4bb, 'h'}, {0x501, 'd'}, {0x51b, 'q'},
    {0x51d, 'w'},
};

// The first bytes in UTF-8 of the Greek and Cyrillic letters.
static bool may_begin(uint8_t byte) { return byte >= 0xce && byte <= 0xd4; }

char csec_lookalike_at(const char *text, size_t size, size_t i, size_t *length) {
  if (i + 1 >= size || !may_begin((uint8_t)text[i])) return 0;
  uint16_t number = (uint16_t)(((uint8_t)text[i] & 0x1f) << 6 | ((uint8_t)text[i + 1] & 0x3f));
  for (size_t k = 0; k < sizeof lookalikes / sizeof lookalikes[0]; k++) {
    if (lookalikes[k].number != number) continue;
    *length = 2;
    return lookalikes[k].latin;
  }
  return 0;
}

bool csec_has_lookalike(const char *key, size_t length) {
  bool has_latin = false, has_other = false;
  for (size_t i = 0, size; i < length; i++) {
    has_latin |= csec_is_token_letter(key[i]);
    has_other = has_other || csec_lookalike_at(key, length, i, &size);
  }
  return has_latin && has_other;
}
