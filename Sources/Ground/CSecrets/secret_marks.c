// A quick check whether a text can hold a credential. It runs for every breadcrumb. Calls nothing: async-signal-safe.
#include "secret_scan.h"

enum { RUN_MIN = 16, OTHERS_MIN = 4 };

typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t eight __attribute__((aligned(1), may_alias));
typedef uint32_t four __attribute__((aligned(1), may_alias));
typedef uint64_t two_words __attribute__((vector_size(16)));

static bool goes_on(const char *text, const char *rest) {
  return (text[1] | 0x20) == rest[0] && (text[2] | 0x20) == rest[1] && (text[3] | 0x20) == rest[2];
}

static bool is_loud(const char *text, const char *word) {
  return text[0] == word[0] && text[1] == word[1] && text[2] == word[2] && text[3] == word[3];
}

// "bearer", "basic", the nouns of sentences: password, secret, token, key, pin, otp, code and login, the commands AUTH
// and IDENTIFIED, crypt, Redis' masterauth, SETUSER and "auth" in quotes, Okta's SSWS and SMTP's prompt in base64.
static bool begins_word(const char *text) {
  switch (text[0] | 0x20) {
    case 'b': return goes_on(text, "ear") || goes_on(text, "asi");
    case 'a': return is_loud(text, "AUTH");
    case 'c': return goes_on(text, "ode") || goes_on(text, "ryp");
    case 'i': return is_loud(text, "IDEN");
    case 'k': return (text[1] | 0x20) == 'e' && (text[2] | 0x20) == 'y' && (csec_is_blank(text[3]) || text[3] == '(');
    case 'l': return goes_on(text, "ogi");
    case 'o': return goes_on(text, "tp ");
    case 'p': return goes_on(text, "ass") || goes_on(text, "in ");
    case 'm': return goes_on(text, "ast");
    case 's': return goes_on(text, "ecr") || goes_on(text, "sws") || goes_on(text, "etu");
    case 't': return goes_on(text, "oke");
    case 'u': return goes_on(text, "gfz") || goes_on(text, "th\"");
    default: return false;
  }
}

enum { BLOCK = 16, PART = 4 };

// Where one of these parts begins, by the characters at each place and the three behind it.
static inline two_words parts(sixteen a, sixteen b, sixteen c, sixteen d) {
  sixteen found = (sixteen)(((a == 'a') & (b == 's') & (c == 's')) | ((a == 'e') & (b == 'c') & (c == 'r')));
  found |= (sixteen)(((a == 'o') & (b == 'k') & (c == 'e')) | ((a == 'k') & (b == 'e') & (c == 'y')));
  found |= (sixteen)(((a == 's') & (b == 's') & (c == 'w')) | ((a == 'r') & (b == 'a') & (c == 'u') & (d == 't')));
  found |= (sixteen)((a == 't') & (b == 'h') & (c == '"'));
  found |= (sixteen)(((a == 'l') & (b == 'o') & (c == 'g') & (d == 'i')) | ((a == 'r') & (b == 'y') & (c == 'p')));
  found |= (sixteen)((a == 'b') & (((b == 'e') & (c == 'a') & (d == 'r')) | ((b == 'a') & (c == 's') & (d == 'i'))));
  return (two_words)found;
}

// The same for the words behind which a number or a word in capitals counts: pin, otp, code, AUTH, IDENTIFIED, SETUSER
// and SMTP's prompt.
static inline two_words rare_parts(sixteen a, sixteen b, sixteen c, sixteen d) {
  sixteen found = (sixteen)(((b == 'i') & (c == 'n') & (a == 'p')) | ((b == 't') & (c == 'p') & (a == 'o')));
  found |= (sixteen)((a == 'c') & (b == 'o') & (c == 'd') & (d == 'e'));
  found |= (sixteen)(((a == 'u') & (b == 't') & (c == 'h')) | ((a == 'd') & (b == 'e') & (c == 'n') & (d == 't')));
  found |= (sixteen)(((a == 'f') & (b == 'z') & (c == 'c')) | ((a == 'e') & (b == 't') & (c == 'u') & (d == 's')));
  return (two_words)found;
}

static inline sixteen lower(const char *text) { return *(const sixteen *)(const void *)text | 0x20; }

static inline two_words parts_at(const char *text, bool has_rare) {
  sixteen a = lower(text), b = lower(text + 1), c = lower(text + 2), d = lower(text + 3);
  two_words found = parts(a, b, c, d);
  return has_rare ? found | rare_parts(a, b, c, d) : found;
}

// The parts that end within the sixteen bytes.
static two_words parts_within(sixteen a, bool has_rare) {
  sixteen none = {0};
  a |= 0x20;
  sixteen b = __builtin_shufflevector(a, none, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  sixteen c = __builtin_shufflevector(a, none, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
  sixteen d = __builtin_shufflevector(a, none, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18);
  two_words found = parts(a, b, c, d);
  return has_rare ? found | rare_parts(a, b, c, d) : found;
}

// A text of at most fifteen bytes, with zeros behind it.
static inline sixteen padded(const char *text, size_t size) {
  uint64_t words[2] = {0, 0};
  char *to = (char *)words;
  if (size >= 8) {
    *(eight *)(void *)to = *(const eight *)(const void *)text;
    *(eight *)(void *)(to + size - 8) = *(const eight *)(const void *)(text + size - 8);
  } else if (size >= 4) {
    *(four *)(void *)to = *(const four *)(const void *)text;
    *(four *)(void *)(to + size - 4) = *(const four *)(const void *)(text + size - 4);
  }
  return *(sixteen *)(void *)to;
}

// Letters that stand in each of these words; most texts have none of them: "ass", "ecr", "oke", "key", "bear",
// "basi", "ssw", "raut", "th\"", "logi", "ryp", "pin", "otp", "code", "uth", "dent", "fzc", "etus".
static bool holds_part(const char *text, size_t size, bool has_rare) {
  two_words found;
  if (size < BLOCK) {
    found = parts_within(padded(text, size), has_rare);
  } else if (size < BLOCK + PART - 1) {
    found = parts_within(*(const sixteen *)(const void *)text, has_rare)
            | parts_within(*(const sixteen *)(const void *)(text + size - BLOCK), has_rare);
  } else {
    // Sixteen at a time, the last ones a second time.
    size_t last = size - BLOCK - (PART - 1);
    found = parts_at(text + last, has_rare);
    for (size_t i = 0; i < last; i += BLOCK) found |= parts_at(text + i, has_rare);
  }
  return (found[0] | found[1]) != 0;
}

static bool holds_word(const char *text, size_t size) {
  for (size_t i = 0; i + 4 <= size; i++)
    if (begins_word(text + i)) return true;
  return false;
}

static bool is_in_run(char c) { return csec_is_token_letter(c) || c == '+' || c == '/'; }

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

// At least four digits, counted for each place in sixteen, or a capital of AUTH and IDENTIFIED.
static bool may_have_rare(sixteen digits, two_words capitals, size_t size) {
  enum { COUNTED_MAX = 256, DIGITS_MIN = 4, LAST_BYTE = 56 };
  static const uint64_t ones = 0x0101010101010101;
  if (size > COUNTED_MAX || (capitals[0] | capitals[1])) return true;
  two_words counts = (two_words)digits;
  return (counts[0] * ones >> LAST_BYTE) + (counts[1] * ones >> LAST_BYTE) >= DIGITS_MIN;
}

// A line of netrc may have small letters only.
static bool begins_netrc(const char *text, size_t size) {
  return csec_begins(text, size, 0, "machine ") || csec_begins(text, size, 0, "default ");
}

// The ids of most requests. A part of one may look like the beginning of a token.
static bool is_uuid(const char *text, size_t size) {
  static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (size != sizeof form - 1 || text[8] != '-') return false;
  for (size_t i = 0; i < size; i++)
    if (form[i] == '-' ? text[i] != '-' : !csec_is_number(text[i]) && (uint8_t)((text[i] | 0x20) - 'a') > 5)
      return false;
  return true;
}

bool csec_may_hold_secret(const char *text, size_t size) {
  if (is_uuid(text, size)) return false;
  two_words strong = {0}, weak = {0}, capitals = {0};
  sixteen digits = {0};
  // Sixteen at a time, the last ones a second time.
  for (size_t i = 0;; i = i + 32 <= size ? i + 16 : size - 16) {
    sixteen c = size >= 16 ? *(const sixteen *)(const void *)(text + i) : short_text(text, size);
    strong |= (two_words)((c - '-' < 2) | (c - ':' < 4) | (c == '_') | (c == '%') | (c == '@') | (c == 0xef));
    sixteen is_digit = (sixteen)(c - '0' < 10);
    digits -= is_digit;
    weak |= (two_words)(is_digit | (sixteen)(c - 'A' < 2) | (sixteen)(c - '"' < 7) | (sixteen)(c == '\n'));
    capitals |= (two_words)((c == 'I') | (c == 'U'));
    if (i + 16 >= size) break;
  }
  if (strong[0] | strong[1]) return true;
  if (!(weak[0] | weak[1]) && !begins_netrc(text, size)) return false;
  bool has_rare = may_have_rare(digits, capitals, size);
  return (holds_part(text, size, has_rare) && holds_word(text, size)) || holds_run(text, size);
}
