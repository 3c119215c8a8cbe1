// Calls nothing but itself: async-signal-safe. SecretKeys.swift has the same rule; a test holds both to one table.
#include "record/secrets.h"
#include "CGround/utf8.h"

enum { LETTERS_MAX = 256 };

// A key without its punctuation, in lower case, and where its words begin.
struct letters {
  size_t count;
  char text[LETTERS_MAX];
  bool begins[LETTERS_MAX + 1];
};

// Where the pattern must stand: anywhere, at the end of a word, or as a word of its own.
enum place { ANYWHERE, ENDS_WORD, WHOLE_WORD };

struct pattern {
  const char *rest;    // after the first letter; NULL ends a list
  const char *unless;  // what must not follow within the word
  enum place place;
  enum ck_secrecy secrecy;
};

#define NAME(rest) {rest, NULL, ANYWHERE, CK_SECRET_NAME}
#define ENDING(rest) {rest, NULL, ENDS_WORD, CK_SECRET_NAME}
#define HEADER(rest) {rest, NULL, ANYWHERE, CK_SECRET_HEADER}
#define WORD(rest) {rest, NULL, WHOLE_WORD, CK_SECRET_WORD}
#define END {NULL, NULL, ANYWHERE, CK_NOT_SECRET}

// By first letter: most letters of most keys begin none, and every attribute's key comes through here.
static const struct pattern *patterns(char initial) {
  static const struct pattern none[] = {END};
  static const struct pattern a[] = {
    HEADER("uthorization"), HEADER("uthorisation"), WORD("uth"), NAME("pikey"), NAME("ccesskey"), ENDING("ccountkey"),
    ENDING("ppkey"), ENDING("pplicationkey"), ENDING("uthkey"), END};
  static const struct pattern b[] = {NAME("earer"), END};
  static const struct pattern c[] = {
    HEADER("ookie"), NAME("redential"), NAME("onnectionstring"), ENDING("onnstr"), WORD("srf"), ENDING("lientkey"),
    ENDING("onsumerkey"), ENDING("ryptkey"), END};
  static const struct pattern d[] = {WORD("sn"), ENDING("eploykey"), END};
  static const struct pattern e[] = {NAME("ncryptionkey"), END};
  static const struct pattern g[] = {ENDING("pgkey"), END};
  static const struct pattern h[] = {ENDING("mackey"), END};
  static const struct pattern j[] = {WORD("wt"), END};
  static const struct pattern l[] = {ENDING("icensekey"), ENDING("icencekey"), END};
  static const struct pattern m[] = {ENDING("asterkey"), NAME("nemonic"), END};
  static const struct pattern o[] = {WORD("tp"), WORD("auth"), END};
  static const struct pattern p[] = {
    NAME("assword"), NAME("asswd"), NAME("assphrase"), NAME("asscode"), {"ass", NULL, ENDS_WORD, CK_SECRET_WORD},
    NAME("swd"), ENDING("wd"), ENDING("w"), WORD("at"), NAME("rivatekey"), ENDING("rivkey"), ENDING("gpkey"), END};
  static const struct pattern s[] = {
    {"ecret", "ar", ANYWHERE, CK_SECRET_NAME}, NAME("essionid"), NAME("essionkey"), NAME("igningkey"), WORD("id"),
    WORD("k"), ENDING("ervicekey"), ENDING("erverkey"), ENDING("haredkey"), ENDING("shkey"), ENDING("toragekey"),
    ENDING("ubscriptionkey"), END};
  static const struct pattern t[] = {{"oken", "i", ANYWHERE, CK_SECRET_TOKEN}, WORD("otp"), END};
  static const struct pattern x[] = {WORD("srf"), NAME("amzsignature"), NAME("googsignature"), END};
  switch (initial) {
    case 'a': return a;
    case 'b': return b;
    case 'c': return c;
    case 'd': return d;
    case 'e': return e;
    case 'g': return g;
    case 'h': return h;
    case 'j': return j;
    case 'l': return l;
    case 'm': return m;
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

// Words that end in "pass" and hold none: "compass", and the programs that ask for a password.
static bool is_other_pass(const struct letters *letters, size_t at) {
  static const char *const befores[] = {
    "ask", "by", "com", "encom", "multi", "over", "render", "single", "sub", "sur", "tres", "under", NULL};
  size_t start = at;
  while (start > 0 && !letters->begins[start]) start--;
  for (size_t i = 0; befores[i] && start < at; i++)
    if (match(letters, start, befores[i]) == at) return true;
  return false;
}

static enum ck_secrecy secrecy_at(const struct letters *letters, size_t at) {
  enum ck_secrecy most = CK_NOT_SECRET;
  for (const struct pattern *pattern = patterns(letters->text[at]); pattern->rest; pattern++) {
    size_t end = match(letters, at + 1, pattern->rest);
    if (end == 0 || pattern->secrecy <= most) continue;
    if (pattern->place != ANYWHERE && !letters->begins[end]) continue;
    if (pattern->place == WHOLE_WORD && !letters->begins[at]) continue;
    // What follows counts only within the same word: "token_id" is no "tokeni…".
    if (pattern->unless && !letters->begins[end] && match(letters, end, pattern->unless)) continue;
    if (pattern->place == ENDS_WORD && pattern->secrecy == CK_SECRET_WORD && is_other_pass(letters, at)) continue;
    most = pattern->secrecy;
  }
  return most;
}

static bool is_exactly(const char *key, size_t length, const char *other) {
  size_t i = 0;
  while (i < length && other[i] && key[i] == other[i]) i++;
  return i == length && !other[i];
}

enum ck_secrecy ck_key_secrecy(const char *key, size_t length) {
  // The shell's folders. In any other spelling "pwd" is a password.
  if (is_exactly(key, length, "PWD") || is_exactly(key, length, "OLDPWD")) return CK_NOT_SECRET;
  struct letters letters;
  normalise(&letters, key, length);
  enum ck_secrecy most = CK_NOT_SECRET;
  for (size_t at = 0; at < letters.count && most < CK_SECRET_HEADER; at++) {
    enum ck_secrecy here = secrecy_at(&letters, at);
    if (here > most) most = here;
  }
  return most;
}

bool ck_key_is_secret(const char *key, size_t length) { return ck_key_secrecy(key, length) != CK_NOT_SECRET; }
