// Calls nothing but itself: async-signal-safe.
#include "secrets.h"
#include "utf8.h"

enum { LETTERS_MAX = 256 };

// A key without its punctuation, in lower case, and where its words begin.
struct letters {
  size_t count;
  char text[LETTERS_MAX];
  bool begins[LETTERS_MAX + 1];
};

struct pattern {
  const char *rest;    // after the first letter; NULL ends a list
  const char *unless;  // what must not follow within the word
  bool whole_word;
};

// By first letter: most letters of most keys begin none, and every attribute's key comes through here.
static const struct pattern *patterns(char initial) {
  static const struct pattern none[] = {{NULL, NULL, false}};
  static const struct pattern a[] = {
    {"uthorization", NULL, false}, {"uthorisation", NULL, false}, {"uth", NULL, true}, {"pikey", NULL, false},
    {"ccesskey", NULL, false}, {NULL, NULL, false}};
  static const struct pattern b[] = {{"earer", NULL, false}, {NULL, NULL, false}};
  static const struct pattern c[] = {
    {"ookie", NULL, false}, {"redential", NULL, false}, {"onnectionstring", NULL, false}, {"srf", NULL, true},
    {NULL, NULL, false}};
  static const struct pattern e[] = {{"ncryptionkey", NULL, false}, {NULL, NULL, false}};
  static const struct pattern j[] = {{"wt", NULL, true}, {NULL, NULL, false}};
  static const struct pattern o[] = {{"tp", NULL, true}, {NULL, NULL, false}};
  static const struct pattern p[] = {
    {"assword", NULL, false}, {"asswd", NULL, false}, {"assphrase", NULL, false}, {"asscode", NULL, false},
    {"ass", NULL, true}, {"wd", NULL, true}, {"rivatekey", NULL, false}, {NULL, NULL, false}};
  static const struct pattern s[] = {
    {"ecret", "ar", false}, {"essionid", NULL, false}, {"essionkey", NULL, false}, {"igningkey", NULL, false},
    {"id", NULL, true}, {NULL, NULL, false}};
  static const struct pattern t[] = {{"oken", "i", false}, {NULL, NULL, false}};
  static const struct pattern x[] = {{"srf", NULL, true}, {NULL, NULL, false}};
  switch (initial) {
    case 'a': return a;
    case 'b': return b;
    case 'c': return c;
    case 'e': return e;
    case 'j': return j;
    case 'o': return o;
    case 'p': return p;
    case 's': return s;
    case 't': return t;
    case 'x': return x;
    default: return none;
  }
}

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

CK_NO_LIBC static void normalise(struct letters *letters, const char *key, size_t length) {
  bool begins = true;
  letters->count = 0;
  for (size_t i = 0; i < length && letters->count < LETTERS_MAX; i++) {
    char c = key[i];
    if (is_upper(c)) {
      // "dbPassword", and the P of "XPassword"
      bool after_lower = i > 0 && is_lower(key[i - 1]), before_lower = i + 1 < length && is_lower(key[i + 1]);
      begins = begins || after_lower || (before_lower && i > 0);
      c = (char)(c - 'A' + 'a');
    } else if (!is_lower(c)) {
      begins = true;
      continue;
    }
    letters->begins[letters->count] = begins;
    letters->text[letters->count++] = c;
    begins = false;
  }
  letters->begins[letters->count] = true;
}

// Where the letters after the pattern begin, or 0 when they do not match.
static inline size_t match(const struct letters *letters, size_t at, const char *pattern) {
  for (size_t i = 0; pattern[i]; i++, at++)
    if (at >= letters->count || letters->text[at] != pattern[i]) return 0;
  return at;
}

static bool is_secret_at(const struct letters *letters, size_t at) {
  for (const struct pattern *pattern = patterns(letters->text[at]); pattern->rest; pattern++) {
    size_t end = match(letters, at + 1, pattern->rest);
    if (end == 0) continue;
    if (pattern->whole_word && !(letters->begins[at] && letters->begins[end])) continue;
    // What follows counts only within the same word: "token_id" is no "tokeni…".
    if (pattern->unless && !letters->begins[end] && match(letters, end, pattern->unless)) continue;
    return true;
  }
  return false;
}

bool ck_key_is_secret(const char *key, size_t length) {
  struct letters letters;
  normalise(&letters, key, length);
  for (size_t at = 0; at < letters.count; at++)
    if (is_secret_at(&letters, at)) return true;
  return false;
}
