// Text that is safe on a terminal and in a log. Calls nothing but text.c.

#include "CReportParts/harmless.h"

bool crp_is_hazard(uint32_t scalar) {
  if (scalar < 0x7f) return scalar < 0x20;
  static const struct {
    uint32_t first, last;
  } ranges[] = {
      {0x7f, 0x9f},                              // DEL and the second set of controls, CSI among them
      {0xad, 0xad},                              // soft hyphen
      {0x34f, 0x34f},                            // grapheme joiner
      {0x61c, 0x61c},                            // Arabic letter mark
      {0x115f, 0x1160},                          // fillers of Hangul
      {0x17b4, 0x17b5},                          // invisible vowels of Khmer
      {0x180e, 0x180e},                          // vowel separator of Mongolian
      {0x200b, 0x200c},                          // zero width space and non-joiner
      {0x200e, 0x200f},                          // marks of direction
      {0x2028, 0x202e},                          // line and paragraph separator, embeddings and overrides of direction
      {0x2060, 0x206f},                          // word joiner, invisible operators, isolates of direction
      {0x3164, 0x3164},                          // filler of Hangul
      {0xd800, 0xdfff},                          // surrogates
      {0xfeff, 0xfeff},                          // byte order mark
      {0xffa0, 0xffa0},                          // filler of Hangul
      {0xfff0, 0xfffb},                          // annotations
      {0x1bca0, 0x1bca3},                        // controls of shorthand
      {0x1d173, 0x1d17a},                        // controls of music
      {0xe0000, 0xe00ff},                        // tags
      {0xe01f0, 0xe0fff}, {0x10ff80, 0x10ffff},  // bytes that are not UTF-8, in the commands
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges && scalar >= ranges[i].first; ++i)
    if (scalar <= ranges[i].last) return true;
  return false;
}

size_t crp_utf8_sequence(const uint8_t *at, size_t left) {
  uint8_t b = at[0];
  if (b < 0x80) return 1;
  size_t size = b >= 0xc2 && b <= 0xdf ? 2 : b >= 0xe0 && b <= 0xef ? 3 : b >= 0xf0 && b <= 0xf4 ? 4 : 0;
  if (size == 0 || size > left) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if ((b == 0xe0 && at[1] < 0xa0) || (b == 0xed && at[1] > 0x9f) || (b == 0xf0 && at[1] < 0x90)
      || (b == 0xf4 && at[1] > 0x8f))
    return 0;
  return size;
}

uint32_t crp_utf8_scalar(const uint8_t *at, size_t size) {
  if (size == 1) return at[0];
  uint32_t scalar = at[0] & (0x7f >> size);
  for (size_t i = 1; i < size; ++i) scalar = scalar << 6 | (at[i] & 0x3f);
  return scalar;
}

static bool is_letter(uint32_t scalar) { return (scalar | 0x20) >= 'a' && (scalar | 0x20) <= 'z'; }

bool crp_opens_command(unsigned *state, uint32_t scalar) {
  enum { NOTHING, ONE_MARK, TWO_MARKS, WORD };
  bool opens = scalar == '[' && *state >= TWO_MARKS;
  if (scalar == '#')
    *state = *state == ONE_MARK || *state == TWO_MARKS ? TWO_MARKS : ONE_MARK;
  else
    *state = is_letter(scalar) && *state >= TWO_MARKS ? WORD : NOTHING;
  return opens;
}

static bool is_blank(uint32_t scalar) { return scalar == '\n' || scalar == '\r' || scalar == '\t'; }

void crp_text_harmless(cgr_text *text, const char *bytes, size_t size) {
  unsigned state = 0;
  for (size_t i = 0; i < size;) {
    const uint8_t *at = (const uint8_t *)bytes + i;
    size_t n = crp_utf8_sequence(at, size - i);
    uint32_t scalar = n ? crp_utf8_scalar(at, n) : 0;
    bool opens = crp_opens_command(&state, scalar);
    if (is_blank(scalar))
      cgr_text_bytes(text, " ", 1);
    else if (n == 0 || opens || crp_is_hazard(scalar))
      cgr_text_bytes(text, "?", 1);
    else
      cgr_text_bytes(text, bytes + i, n);
    i += n ? n : 1;
  }
}

void crp_text_make_harmless(cgr_text *text, size_t start) {
  // What is written never catches up with what is read.
  cgr_text result = {.bytes = text->bytes, .size = start, .capacity = text->capacity};
  crp_text_harmless(&result, text->bytes + start, text->size - start);
  text->size = result.size;
}
