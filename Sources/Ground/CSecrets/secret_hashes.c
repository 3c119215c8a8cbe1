// Hashes of passwords, tokens with a mark inside, and keys in other formats. Calls nothing: async-signal-safe.
#include "secret_letters.h"
#include "secret_tokens.h"

enum { LAST_PART_MIN = 20, HASH_MAX = 512, GROUP = 8 };

static bool is_in_hash(char c) {
  return csec_is_token_letter(c) || c == '.' || c == '/' || c == '+' || c == '=' || c == ',' || c == '-' || c == '_';
}

// Where the parts end that '$' separates, if the last one is as long as a hash.
static size_t parts_end(const char *text, size_t size, size_t at) {
  size_t end = at, part = at;
  for (; end < size && end < at + HASH_MAX && (is_in_hash(text[end]) || text[end] == '$'); end++)
    if (text[end] == '$') part = end + 1;
  return end - part >= LAST_PART_MIN ? end : at;
}

// "SCRAM-SHA-256$4096:salt$stored:server"
static size_t scram_end(const char *text, size_t size, size_t at) {
  size_t end = at, signs = 0;
  for (; end < size && end < at + HASH_MAX; end++) {
    if (!is_in_hash(text[end]) && text[end] != '$' && text[end] != ':') break;
    signs += text[end] == '$';
  }
  return signs == 2 ? end : at;
}

size_t csec_hash_end(const char *text, size_t size, size_t at) {
  static const char *const crypts[] = {"$1$",
                                       "$2a$",
                                       "$2b$",
                                       "$2x$",
                                       "$2y$",
                                       "$5$",
                                       "$6$",
                                       "$7$",
                                       "$y$",
                                       "$gy$",
                                       "$P$",
                                       "$H$",
                                       "$apr1$",
                                       "$md5$",
                                       "$sha1$",
                                       "$scrypt$",
                                       "$argon2d$",
                                       "$argon2i$",
                                       "$argon2id$",
                                       "$pbkdf2$",
                                       "$pbkdf2-",
                                       "$bcrypt-",
                                       "pbkdf2_sha256$",
                                       "pbkdf2_sha1$",
                                       NULL};
  if (csec_begins(text, size, at, "SCRAM-SHA-")) return scram_end(text, size, at);
  for (const char *const *crypt = crypts; *crypt; crypt++)
    if (csec_begins(text, size, at, *crypt)) return parts_end(text, size, at);
  return at;
}

// --- Marks inside --------------------------------------------------------------------------------------------------

static bool is_hexadecimal(char c) { return csec_is_number(c) || (c >= 'a' && c <= 'f'); }

static bool is_entra(char c) { return csec_is_token_letter(c) || c == '_' || c == '.' || c == '-' || c == '~'; }

static bool is_terraform(char c) { return csec_is_token_letter(c) || c == '-' || c == '_' || c == '='; }

// Where the token begins that has exactly `count` characters before `at`; `at` if it has not.
static size_t start_before(const char *text, size_t least, size_t at, size_t count, bool (*is_in)(char)) {
  if (at < least + count) return at;
  for (size_t i = at - count; i < at; i++)
    if (!is_in(text[i])) return at;
  size_t start = at - count;
  return start > least && csec_is_token_letter(text[start - 1]) ? at : start;
}

static size_t end_after(const char *text, size_t size, size_t at, size_t least, bool (*is_in)(char)) {
  size_t end = at;
  while (end < size && is_in(text[end])) end++;
  return end - at >= least ? end : 0;
}

// The 8 digits at `at`, if no other follows.
static bool is_group(const char *text, size_t size, size_t at) {
  size_t most = size < at + GROUP + 1 ? size : at + GROUP + 1;
  return end_after(text, most, at, GROUP, is_hexadecimal) == at + GROUP;
}

// "<32 digits>-<8>-<8>" of Mailgun. 0 if it is another text.
static size_t mailgun_end(const char *text, size_t size, size_t at) {
  size_t second = at + 1 + GROUP;
  if (!is_group(text, size, at + 1) || second >= size || text[second] != '-') return 0;
  size_t end = second + 1 + GROUP;
  bool goes_on = end < size && (csec_is_token_letter(text[end]) || text[end] == '-');
  return is_group(text, size, second + 1) && !goes_on ? end : 0;
}

// The end is searched only behind a begin: what has both is masked, and read once.
size_t csec_marked_token_end(const char *text, size_t size, size_t *from, size_t at) {
  size_t start = at, end = 0;
  if (text[at] == '.' && csec_begins(text, size, at, ".atlasv1.")) {
    start = start_before(text, *from, at, 14, csec_is_token_letter);
    if (start < at) end = end_after(text, size, at + 9, 60, is_terraform);
  } else if (text[at] == '-' && csec_begins(text, size, at, "-us")) {
    start = start_before(text, *from, at, 32, is_hexadecimal);
    if (start < at) end = end_after(text, size, at + 3, 1, csec_is_number);
  } else if (text[at] == '-') {
    end = mailgun_end(text, size, at);
    if (end > 0) start = start_before(text, *from, at, 32, is_hexadecimal);
  } else if (text[at] == '~' && at >= 2 && text[at - 1] == 'Q' && csec_is_number(text[at - 2])) {
    start = start_before(text, *from, at, 5, is_entra);
    if (start < at) end = end_after(text, size, at + 1, 31, is_entra);
  }
  if (start == at || end == 0) return at;
  *from = start;
  return end;
}

// Azure's keys with a checksum: 52 letters and digits, "JQQJ99", 18 of the place and the date, 4 of the service.
size_t csec_azure_end(const char *text, size_t size, size_t at) {
  enum { FIRST = 52, WHOLE = 84 };
  if (size - at < WHOLE || text[at + FIRST] != 'J' || !csec_begins(text, size, at + FIRST, "JQQJ99")) return at;
  for (size_t i = at; i < at + WHOLE; i++)
    if (!csec_is_token_letter(text[i])) return at;
  return at + WHOLE < size && csec_is_token_letter(text[at + WHOLE]) ? at : at + WHOLE;
}

// --- Keys in other formats -----------------------------------------------------------------------------------------

// Base64 that goes on after the ends of full lines.
static size_t lines_end(const char *text, size_t size, size_t at) {
  enum { LINE_MIN = 60 };
  size_t end = csec_run_end(text, size, at);
  while (end - at >= LINE_MIN && end + 1 < size && (text[end] == '\n' || text[end] == '\r')) {
    at = text[end] == '\r' && text[end + 1] == '\n' ? end + 2 : end + 1;
    size_t next = csec_run_end(text, size, at);
    if (next == at || (next < size && (uint8_t)text[next] > ' ' && !csec_is_quote(text[next]))) break;
    end = next;
  }
  return end;
}

// "PRIVATE" has three forms in base64, one for each place within three bytes.
size_t csec_encoded_key_end(const char *text, size_t size, size_t at) {
  enum { HEADER_MAX = 64 };
  if (!csec_begins(text, size, at, "LS0tLS1CRUdJTi")) return at;
  for (size_t i = at; i < at + HEADER_MAX; i++) {
    bool is_private = csec_begins(text, size, i, "UFJJVkFUR") || csec_begins(text, size, i, "BSSVZBVE");
    if (is_private || csec_begins(text, size, i, "QUklWQVRF")) return lines_end(text, size, i);
  }
  return at;
}

size_t csec_putty_end(const char *text, size_t size, size_t *from) {
  static const char mark[] = "Private-Lines: ";
  size_t at = *from, start = at + sizeof mark - 1, end = start;
  if (!csec_begins(text, size, at, mark) || start >= size || !csec_is_number(text[start])) return at;
  while (end < size && csec_is_number(text[end])) end++;
  if (end < size && text[end] != '\n' && text[end] != '\r' && text[end] != '\\') return at;
  while (end < size && !csec_begins(text, size, end, "Private-MAC:") && !csec_begins(text, size, end, "Private-Hash:"))
    end++;
  size_t last = end;
  while (end < size && last > start && (text[last - 1] == '\n' || text[last - 1] == '\r')) last--;
  *from = start;
  return last;
}

// --- Answers to a prompt -------------------------------------------------------------------------------------------

// What may stand between a prompt and the next line: line ends, also those that are written as "\\r\\n", and quotes.
static size_t line_start(const char *text, size_t size, size_t at) {
  bool has_line = false;
  for (; at < size; at++) {
    bool is_shown = text[at] == '\\' && at + 1 < size && (text[at + 1] == 'n' || text[at + 1] == 'r');
    bool ends = is_shown || csec_ends_line(text[at]);
    if (!ends && !csec_is_quote(text[at])) break;
    has_line |= ends;
    at += is_shown;
  }
  return has_line ? at : size;
}

// "Password:" in base64, and the last word of the next line.
size_t csec_smtp_end(const char *text, size_t size, size_t *from) {
  static const char prompt[] = "UGFzc3dvcmQ6";
  enum { LINE_MAX = 128, ANSWER_MIN = 4 };
  size_t at = *from;
  if (!csec_begins(text, size, at, prompt)) return at;
  size_t start = line_start(text, size, at + sizeof prompt - 1), end = start;
  for (; end < size && end < start + LINE_MAX && !csec_ends_line(text[end]) && text[end] != '\\'; end++)
    if (csec_is_blank(text[end]) || (csec_is_quote(text[end]) && csec_run_end(text, size, end + 1) > end + 1))
      start = end + 1;
  if (start >= size || csec_run_end(text, size, start) < start + ANSWER_MIN) return at;
  *from = start;
  return csec_run_end(text, size, start);
}
