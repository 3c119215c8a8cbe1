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
  const char *text;
  const char *unless;  // what must not follow
};

static const struct pattern anywhere[] = {
  {"password", NULL}, {"passwd", NULL}, {"passphrase", NULL}, {"passcode", NULL}, {"secret", "ar"}, {"token", "i"},
  {"authorization", NULL}, {"authorisation", NULL}, {"cookie", NULL}, {"apikey", NULL}, {"accesskey", NULL},
  {"privatekey", NULL}, {"signingkey", NULL}, {"encryptionkey", NULL}, {"credential", NULL}, {"sessionid", NULL},
  {"sessionkey", NULL}, {"connectionstring", NULL}, {"bearer", NULL},
};

static const char *const whole_words[] = {"auth", "pwd", "pass", "sid", "jwt", "otp", "csrf", "xsrf"};

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

// How many letters from `at` on are the pattern, or 0.
static size_t match(const struct letters *letters, size_t at, const char *pattern) {
  size_t i = 0;
  for (; pattern[i]; i++)
    if (at + i >= letters->count || letters->text[at + i] != pattern[i]) return 0;
  return i;
}

static bool is_secret_at(const struct letters *letters, size_t at) {
  for (size_t p = 0; p < sizeof anywhere / sizeof *anywhere; p++) {
    size_t length = match(letters, at, anywhere[p].text);
    if (length == 0) continue;
    const char *unless = anywhere[p].unless;
    // What follows counts only within the same word: "token_id" is no "tokeni…".
    bool excepted = unless && !letters->begins[at + length] && match(letters, at + length, unless) > 0;
    if (!excepted) return true;
  }
  if (!letters->begins[at]) return false;
  for (size_t w = 0; w < sizeof whole_words / sizeof *whole_words; w++) {
    size_t length = match(letters, at, whole_words[w]);
    if (length > 0 && letters->begins[at + length]) return true;
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
