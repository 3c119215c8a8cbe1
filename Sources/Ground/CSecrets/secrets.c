// Calls nothing but itself: async-signal-safe. secret_keys.def is the table.
#include "secrets.h"

#include "secret_gaps.h"
#include "secret_letters.h"
#include "secret_tokens.h"
#include "CGround/utf8.h"

enum { LETTERS_MAX = 256 };

// A key without its punctuation, in lower case, and where its words begin.
struct letters {
  size_t count;
  char text[LETTERS_MAX + 1];  // ends in 0
  bool begins[LETTERS_MAX + 1];
};

// Where the pattern must stand: anywhere, at the end of a word, or as a word of its own.
enum place { ANYWHERE, ENDS_WORD, WHOLE_WORD };

struct pattern {
  const char *letters;
  enum place place;
  enum csec_secrecy secrecy;
};

static const struct pattern patterns[] = {
#define KEY(letters, place, secrecy) {letters, place, CSEC_SECRET_##secrecy},
#include "secret_keys.def"
#undef KEY
};

// One byte for each pattern: its offset is the pattern's number.
struct layout {
#define KEY(letters, place, secrecy) char CSEC_LINE_NAME(pattern);
#include "secret_keys.def"
#undef KEY
};

// One more than the number of the last pattern that begins with two letters; 0 if none does.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
static const uint8_t lasts[26][26] = {
#define KEY(letters, place, secrecy) \
  [(letters)[0] - 'a'][(letters)[1] - 'a'] = offsetof(struct layout, CSEC_LINE_NAME(pattern)) + 1,
#include "secret_keys.def"
#undef KEY
};
#pragma clang diagnostic pop

_Static_assert(sizeof patterns / sizeof patterns[0] < UINT8_MAX, "a pattern's number is a byte");

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// A letter, perhaps in percent encoding ("pass%77ord"); 0 for other characters. `*size` is how many bytes it has.
static char letter_at(const char *key, size_t length, size_t i, bool has_lookalike, size_t *size) {
  *size = 1;
  char c = key[i];
  if (is_upper(c) || is_lower(c)) return c;
  char lookalike = has_lookalike ? csec_lookalike_at(key, length, i, size) : 0;
  if (lookalike) return lookalike;
  if (csec_gap_at(key, length, i, size) != CSEC_NO_GAP) return 0;
  *size = 1;
  if (c == '%' && i + 2 < length) {
    int decoded = csec_percent_decoded(key + i);
    if (decoded >= 0) {
      *size = 3;
      c = (char)decoded;
    }
  }
  return is_upper(c) || is_lower(c) ? c : 0;
}

CGR_NO_LIBC static void normalise(struct letters *letters, const char *key, size_t length) {
  bool begins = true, after_lower = false, has_lookalike = csec_has_lookalike(key, length);
  letters->count = 0;
  for (size_t i = 0, size; i < length && letters->count < LETTERS_MAX; i += size) {
    char c = letter_at(key, length, i, has_lookalike, &size);
    if (!c) {
      begins = true;
      after_lower = false;
      continue;
    }
    // "dbPassword", and the P of "XPassword"
    bool before_lower = i + size < length && is_lower(key[i + size]);
    if (is_upper(c)) begins = begins || after_lower || (before_lower && i > 0);
    after_lower = is_lower(c);
    letters->begins[letters->count] = begins;
    letters->text[letters->count++] = c | 0x20;
    begins = false;
  }
  letters->begins[letters->count] = true;
  letters->text[letters->count] = 0;
}

// Where the letters after the pattern begin, or 0 when they do not match.
static inline size_t match(const struct letters *letters, size_t at, const char *pattern) {
  for (size_t i = 0; pattern[i]; i++, at++)
    if (at >= letters->count || letters->text[at] != pattern[i]) return 0;
  return at;
}

// Words that end in "pass" and hold none: "compass", and the programs that ask for a password.
static bool is_other_pass(const struct letters *letters, size_t at) {
  static const char *const befores[] = {"ask",    "by",  "com", "encom", "multi", "over", "render",
                                        "single", "sub", "sur", "tres",  "under", NULL};
  size_t start = at;
  while (start > 0 && !letters->begins[start]) start--;
  for (size_t i = 0; befores[i] && start < at; i++)
    if (match(letters, start, befores[i]) == at) return true;
  return false;
}

// What follows counts only within the same word: "token_id" is no "tokeni…".
static bool goes_on_otherwise(const struct letters *letters, size_t end, enum csec_secrecy secrecy) {
  if (letters->begins[end]) return false;
  if (secrecy == CSEC_SECRET_TOKEN) return letters->text[end] == 'i';
  return match(letters, end, "ary") || match(letters, end, "ari");
}

// "backupCodes": of a name that is sure the plural counts too.
static bool ends_word(const struct letters *letters, size_t end, enum csec_secrecy secrecy) {
  bool is_plural = secrecy == CSEC_SECRET_NAME && letters->text[end] == 's' && !letters->begins[end];
  return letters->begins[is_plural ? end + 1 : end];
}

static bool applies(const struct letters *letters, size_t at, const struct pattern *pattern) {
  size_t end = match(letters, at, pattern->letters);
  if (end == 0) return false;
  if (pattern->place == ENDS_WORD && !ends_word(letters, end, pattern->secrecy)) return false;
  if (pattern->place == WHOLE_WORD && !letters->begins[end]) return false;
  if (pattern->place == WHOLE_WORD && !letters->begins[at]) return false;
  if (pattern->place == ANYWHERE && goes_on_otherwise(letters, end, pattern->secrecy)) return false;
  return pattern->place != ENDS_WORD || pattern->secrecy != CSEC_SECRET_WORD || !is_other_pass(letters, at);
}

static enum csec_secrecy secrecy_at(const struct letters *letters, size_t at) {
  enum csec_secrecy most = CSEC_NOT_SECRET;
  const char *text = letters->text + at;
  if (text[1] == 0) return most;
  for (size_t i = lasts[text[0] - 'a'][text[1] - 'a']; i > 0; i--) {
    const struct pattern *pattern = &patterns[i - 1];
    if (pattern->letters[0] != text[0] || pattern->letters[1] != text[1]) break;
    if (pattern->secrecy > most && applies(letters, at, pattern)) most = pattern->secrecy;
  }
  return most;
}

static bool is_one_of(const char *key, size_t length, const char *const *others) {
  for (; *others; others++)
    if (csec_is_exactly(key, length, *others)) return true;
  return false;
}

static bool is_word_of(const struct letters *letters, size_t from, const char *const *words) {
  size_t end = from + 1;
  while (!letters->begins[end]) end++;
  for (; *words; words++)
    if (match(letters, from, *words) == end) return true;
  return false;
}

// The first letter of the last word, and of the word before `end`; 0 if that is the first one.
static size_t word_before(const struct letters *letters, size_t end) {
  size_t start = end > 0 ? end - 1 : 0;
  while (start > 0 && !letters->begins[start]) start--;
  return start;
}

// What the word before "key" says of a key that may open nothing: "CACHE_KEY", "sort-key". Of the first ones some
// services have keys that do open something.
static enum csec_secrecy secrecy_by_word_before(const struct letters *letters, enum csec_secrecy otherwise) {
  static const char *const rare[] = {"event", "record", "routing", NULL};
  static const char *const befores[] = {
      "alt",      "arrow",     "bucket",      "cache",     "candidate", "composite",   "ctrl",      "dedup",   "escape",
      "foreign",  "group",     "hash",        "host",      "hot",       "idempotency", "index",     "item",    "join",
      "json",     "locale",    "lock",        "lookup",    "map",       "message",     "meta",      "natural", "object",
      "off",      "on",        "order",       "partition", "pre",       "primary",     "public",    "range",   "re",
      "registry", "row",       "shard",       "shift",     "socket",    "sort",        "surrogate", "tab",     "turn",
      "unique",   "websocket", "translation", NULL};
  size_t last = word_before(letters, letters->count);
  if (last == 0) return otherwise;
  size_t before = word_before(letters, last);
  if (is_word_of(letters, before, rare)) return CSEC_SECRET_RARELY;
  return is_word_of(letters, before, befores) ? CSEC_NOT_SECRET : otherwise;
}

// "X-Functions-Key" and "Fastly-Key" are headers of credentials; of the latter kind the value has to look like one.
static enum csec_secrecy header_key_secrecy(const struct letters *letters, const char *key, size_t length) {
  static const char last[] = "-key";
  size_t size = sizeof last - 1;
  if (length <= size || !csec_begins_in_either_case(key, length, length - size, last)) return CSEC_NOT_SECRET;
  if (key[length - size] != '-') return CSEC_NOT_SECRET;
  bool is_header = (key[0] | 0x20) == 'x' && key[1] == '-' && length > size + 2;
  enum csec_secrecy secrecy = is_header ? CSEC_SECRET_NAME : CSEC_PERHAPS_SECRET;
  // "X-Event-Key: repo:push"
  return secrecy_by_word_before(letters, secrecy) == secrecy ? secrecy : CSEC_NOT_SECRET;
}

// "X-Vault-Token": of a header that is no known one the value needs not look like a token.
static enum csec_secrecy header_token_secrecy(const char *key, size_t length) {
  static const char last[] = "-token";
  size_t size = sizeof last - 1;
  if (length < size + 3 || (key[0] | 0x20) != 'x' || key[1] != '-') return CSEC_NOT_SECRET;
  return csec_begins_in_either_case(key, length, length - size, last) ? CSEC_SECRET_NAME : CSEC_NOT_SECRET;
}

static bool has_small(const char *key, size_t from, size_t to) {
  for (; from < to; from++)
    if (is_lower(key[from])) return true;
  return false;
}

// The last word of STRIPE_KEY, CF_Key, Ali_Key and ORG_GRADLE_PROJECT_signingKey, behind the last '_'. In small letters
// "cred" is a variable of a program.
static enum csec_secrecy constant_secrecy(const struct letters *letters, const char *key, size_t length) {
  static const char *const words[] = {"KEY",  "KEYS",    "SESSION", "SEED",  "PEM",
                                      "CRED", "CERTKEY", "PHRASE",  "BASIC", NULL};
  if (csec_is_exactly(key, length, "CRED")) return CSEC_SECRET_NAME;
  size_t start = length, size = sizeof "Key" - 1;
  if (length < size || (is_lower(key[length - 1]) && key[length - 1] != 'y')) return CSEC_NOT_SECRET;
  while (start > 0 && key[start - 1] != '_') start--;
  if (start < 2 || start == length) return CSEC_NOT_SECRET;
  bool is_mixed = length - start >= size && csec_is_exactly(key + length - size, size, "Key");
  if (!is_mixed && !is_one_of(key + start, length - start, words)) return CSEC_NOT_SECRET;
  if (!has_small(key, 0, start)) return secrecy_by_word_before(letters, CSEC_SECRET_NAME);
  // "Date_Key" is a column too.
  bool is_name = is_mixed && is_upper(key[0]) && length - start == size;
  return is_name ? secrecy_by_word_before(letters, CSEC_PERHAPS_SECRET) : CSEC_NOT_SECRET;
}

// "BUNDLE_GEMS__EXAMPLE__COM": Bundler's user and password of a host. "__" stands for a dot, in settings too.
static bool is_host_of_bundler(const char *key, size_t length) {
  static const char *const settings[] = {"BUNDLE_BUILD__", "BUNDLE_LOCAL__", "BUNDLE_MIRROR__", NULL};
  static const char *const ends[] = {"COM", "ORG", "NET", "IO", "DEV", "CO", "APP", "AI", "EU", NULL};
  if (!csec_begins(key, length, 0, "BUNDLE_")) return false;
  for (const char *const *setting = settings; *setting; setting++)
    if (csec_begins(key, length, 0, *setting)) return false;
  size_t start = length;
  while (start > 0 && key[start - 1] != '_') start--;
  return key[start - 2] == '_' && is_one_of(key + start, length - start, ends);
}

// "MAX_TOKENS", "prompt_tokens", "tokens_per_second": what is counted, and not kept secret.
static bool counts_tokens(const struct letters *letters) {
  static const char *const tokens[] = {"tokens", NULL}, *const per[] = {"per", NULL};
  static const char *const measures[] = {"max",       "min",        "num",     "n",         "total",
                                         "prompt",    "completion", "input",   "output",    "used",
                                         "remaining", "cached",     "context", "reasoning", NULL};
  size_t last = letters->count - 1;
  while (last > 0 && !letters->begins[last]) last--;
  if (is_word_of(letters, last, tokens) && is_word_of(letters, 0, measures)) return true;
  bool has_per = false;
  for (size_t i = 0; i < letters->count; i++) has_per |= letters->begins[i] && is_word_of(letters, i, per);
  return has_per && is_word_of(letters, 0, tokens);
}

// "passwordLength", "COOKIE_DOMAIN", "SSH_AUTH_SOCK": the last word says that the value is a fact about the secret, or
// the place where it lies. All words that may also be a part of a secret's name are left out: id, name, hash, value.
static bool is_about_secret(const struct letters *letters) {
  static const char *const facts[] = {
      "age",       "alg",      "algorithm", "arn",      "attempts", "count",    "counts",     "dir",
      "directory", "disabled", "domain",    "duration", "enabled",  "encoding", "expiration", "expired",
      "expires",   "expiry",   "file",      "folder",   "format",   "hasher",   "hashers",    "interval",
      "kind",      "len",      "length",    "lifetime", "limit",    "max",      "method",     "min",
      "mode",      "offset",   "path",      "policy",   "port",     "provider", "required",   "retries",
      "rounds",    "site",     "size",      "sock",     "socket",   "state",    "status",     "strength",
      "timeout",   "total",    "ttl",       "type",     "usage",    "version",  NULL};
  // "secretName", "CSRF_COOKIE_NAME": another name may be that of a user.
  static const char *const names[] = {"name", NULL}, *const named[] = {"secret", "cookie", NULL};
  size_t last = letters->count - 1, before;
  while (last > 0 && !letters->begins[last]) last--;
  if (last == 0) return false;
  for (before = last - 1; before > 0 && !letters->begins[before];) before--;
  bool is_name = is_word_of(letters, last, names) && is_word_of(letters, before, named);
  return is_name || is_word_of(letters, last, facts);
}

enum csec_secrecy csec_key_secrecy(const char *key, size_t length) {
  static const char *const shown[] = {"DESKTOP_SESSION", "ORACLE_SID", "XDG_SESSION_ID", NULL};
  if (is_one_of(key, length, shown)) return CSEC_NOT_SECRET;
  struct letters letters;
  normalise(&letters, key, length);
  enum csec_secrecy most = is_host_of_bundler(key, length) ? CSEC_SECRET_NAME : CSEC_NOT_SECRET;
  if (most == CSEC_NOT_SECRET) most = constant_secrecy(&letters, key, length);
  if (most == CSEC_NOT_SECRET) most = header_key_secrecy(&letters, key, length);
  if (most == CSEC_NOT_SECRET) most = header_token_secrecy(key, length);
  for (size_t at = 0; at < letters.count && most < CSEC_SECRET_HEADER; at++) {
    enum csec_secrecy here = secrecy_at(&letters, at);
    if (here > most) most = here;
  }
  if (most == CSEC_NOT_SECRET && csec_foreign_key_size(key, length) > 0) return CSEC_SECRET_NAME;
  if (most == CSEC_NOT_SECRET || letters.count == LETTERS_MAX || letters.count == 0) return most;
  bool is_plain = is_about_secret(&letters) || (most == CSEC_SECRET_TOKEN && counts_tokens(&letters));
  return is_plain ? CSEC_NOT_SECRET : most;
}

bool csec_key_is_secret(const char *key, size_t length) { return csec_key_secrecy(key, length) > CSEC_PERHAPS_SECRET; }

bool csec_is_shell_folder(const char *key, size_t length, char first) {
  static const char *const shell_folders[] = {"PWD", "OLDPWD", NULL};
  return first == '/' && is_one_of(key, length, shell_folders);
}
