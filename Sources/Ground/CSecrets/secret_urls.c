// Users and passwords of URLs, and of addresses without a scheme. Calls nothing but itself: async-signal-safe.
#include "secret_scan.h"

enum { PASSWORD_MAX = 128, USER_AND_PASSWORD_MAX = 192, HOST_MAX = 64, PORT_DIGITS = 5 };

static bool ends_authority(char c) { return csec_ends_word(c) || c == '/' || c == '?' || c == '#'; }

static size_t last_at_before(const struct csec_masking *m, size_t start, size_t end) {
  for (size_t i = end; i > start; i--)
    if (m->text[i - 1] == '@') return i - 1;
  return start;
}

// Whether what follows the first ':' is no port: a password with a '/' in it, which it should not have.
static bool has_open_password(const struct csec_masking *m, size_t start, size_t end) {
  size_t colon = start;
  while (colon < end && m->text[colon] != ':') colon++;
  if (colon == end || m->text[start] == '[') return false;
  for (size_t i = colon + 1; i < end; i++)
    if (!csec_is_number(m->text[i])) return true;
  return false;
}

// The '@' behind a password with blanks or quotes in it, no further than the next URL; `from` if there is none.
static size_t at_beyond_blanks(const struct csec_masking *m, size_t from) {
  for (size_t i = from; i < m->size && i < from + PASSWORD_MAX && !csec_ends_line(m->text[i]); i++) {
    if (m->text[i] == '@') return i;
    if (m->text[i] == ':' && csec_at(m, i + 1) == '/' && csec_at(m, i + 2) == '/') break;
  }
  return from;
}

// "://", and ":\/\/" as some writers of JSON have it.
size_t csec_url_start(const struct csec_masking *m, size_t i) {
  for (int slashes = 0; slashes < 2; slashes++) {
    if (csec_at(m, i + 1) == '\\') i++;
    if (csec_at(m, ++i) != '/') return 0;
  }
  return i + 1;
}

size_t csec_read_url(struct csec_masking *m, size_t i) {
  size_t start = csec_url_start(m, i), chat = csec_read_chat(m, i, start);
  m->key_end = 0;
  if (chat > start) return chat;
  start = csec_behind_gaps(m->text, m->size, start);
  size_t end = csec_find(m, start, ends_authority), sign = last_at_before(m, start, end);
  if (sign == start && has_open_password(m, start, end)) {
    if (m->word_end <= start) {
      m->word_end = csec_find(m, end, csec_ends_word);
      m->last_at = last_at_before(m, end, m->word_end);
    }
    if (csec_at(m, m->last_at) == '@' && m->last_at > start)
      sign = m->last_at;
    else
      sign = at_beyond_blanks(m, m->word_end);
    if (sign == m->word_end) sign = start;
  }
  // A key opens what this user may see.
  bool is_git = csec_is_exactly(m->text + start, sign - start, "git");
  csec_read_path(m, i, sign > start ? sign + 1 : start);
  return sign > start && !is_git ? csec_mask(m, start, sign) : start;
}

// Whether the character at `i` ends the user, the password and the host of a URL in percent encoding.
static bool ends_encoded(const struct csec_masking *m, size_t i) {
  char c = m->text[i];
  return csec_ends_word(c) || c == '&' || c == '/' || csec_begins_in_either_case(m->text, m->size, i, "%2f");
}

// "http%3A%2F%2Fu%3Ap%40h"
size_t csec_read_encoded_url(struct csec_masking *m, size_t i) {
  static const char slashes[] = "%2f%2f";
  size_t start = i + 3 + sizeof slashes - 1, at = start;
  if (!csec_begins_in_either_case(m->text, m->size, i + 3, slashes)) return i;
  for (size_t end = start; end < m->size && end < start + USER_AND_PASSWORD_MAX && !ends_encoded(m, end); end++)
    if (m->text[end] == '@' || csec_begins(m->text, m->size, end, "%40")) at = end;
  return at > start ? csec_mask(m, start, at) : i;
}

// Whether a host with a port, a path or parentheses begins at `i`.
static bool is_host(const struct csec_masking *m, size_t i) {
  size_t start = i;
  while (i < m->size && i < start + HOST_MAX && csec_is_key(m->text[i])) i++;
  if (i == start) return false;
  char c = csec_at(m, i);
  if (c == '/' || c == '(') return !csec_is_number(m->text[start]);
  size_t port = ++i;
  while (i < m->size && i <= port + PORT_DIGITS && csec_is_number(m->text[i])) i++;
  return c == ':' && i > port && i <= port + PORT_DIGITS && !csec_is_token_letter(csec_at(m, i));
}

// "topic:partition@offset:12", "3:main@queue:1": a place with a number, which is no port. Hosts have such names too.
static bool is_place(const struct csec_masking *m, size_t i, size_t password, size_t at) {
  static const char *const places[] = {"offset", "line", "column", NULL};
  static const char *const hosts[] = {"queue", "index",   "partition", "thread", "worker",
                                      "epoch", "version", "slot",      "shard",  NULL};
  enum { NUMBER_MAX = 3 };
  size_t end = i;
  while (end < m->size && end < i + HOST_MAX && csec_is_key(m->text[end])) end++;
  bool is_number =
      csec_digits_end(m, end + 1, m->size < end + PORT_DIGITS ? m->size : end + PORT_DIGITS) <= end + 1 + NUMBER_MAX;
  bool is_named = csec_is_word_of(m, i, end, places) || (is_number && csec_is_word_of(m, i, end, hosts));
  return csec_at(m, end) == ':' && is_named && !csec_looks_random(m, password, at, false);
}

// "url=user:password@…", "[user:password@…": where the user begins.
static size_t user_start(const struct csec_masking *m, size_t start, size_t colon) {
  for (size_t i = start; i < colon; i++) {
    char c = m->text[i];
    if (c == '=' || c == ',' || c == ';' || c == '|' || c == '[' || c == '{') start = i + 1;
  }
  return start;
}

// "root:x1@/app", "root:x@/app?a=b": Go's address of a local database at the '@' at `i`. Its path has one part only.
static bool is_local(const struct csec_masking *m, size_t start, size_t colon, size_t i) {
  if (csec_at(m, i + 1) != '/' || colon <= start) return false;
  size_t user = colon;
  while (user > start && csec_is_key(m->text[user - 1])) user--;
  char before = user > start ? m->text[user - 1] : 0;
  if (user == colon || before == '/' || before == '%' || before == '@') return false;
  if (before == '\\' && !csec_follows_written_end(m->text, user + 1)) return false;
  size_t end = i + 2;
  while (end < m->size && end < i + HOST_MAX && csec_is_key(m->text[end])) end++;
  if (csec_at(m, end) == '?') {
    size_t key = ++end;
    while (end < m->size && end < key + HOST_MAX && csec_is_key(m->text[end])) end++;
    return end > key && csec_at(m, end) == '=';
  }
  bool ends = end >= m->size || (m->text[end] != '/' && csec_can_follow(m->text[end]));
  return ends && csec_looks_random(m, colon + 1, i, false);
}

// "jdbc:oracle:thin:u/p@h": where the user begins in a word; `end` if it is no such address.
static size_t oracle_user(const struct csec_masking *m, size_t start, size_t end) {
  static const char scheme[] = "jdbc:oracle:";
  for (; start + sizeof scheme < end; start++) {
    size_t i = 0;
    while (scheme[i] && (m->text[start + i] | 0x20) == scheme[i]) i++;
    if (scheme[i]) continue;
    for (i += start; i < end && m->text[i] != ':';) i++;
    return i < end ? i + 1 : end;
  }
  return end;
}

// "sqlplus scott/tiger@orcl", "CONNECT scott/tiger@orcl": where such a user begins; `i`, that of the '@', if there is
// none.
static size_t login_start(const struct csec_masking *m, size_t start, size_t i) {
  static const char *const commands[] = {"connect", "conn", NULL};
  enum { COMMAND_MAX = 8 };
  size_t pair = start;
  while (pair < i && m->text[pair] != '=' && m->text[pair] != '/') pair++;
  size_t user = pair < i && m->text[pair] == '=' ? pair + 1 : start, end = start;
  if (csec_login_end(m->text, user, i + 1) != i) return i;
  if (csec_program_takes_login(m->program)) return user;
  while (end > m->kept && csec_is_blank(m->text[end - 1]) && start - end < COMMAND_MAX) end--;
  size_t word = end;
  while (word > m->kept && end - word < COMMAND_MAX && csec_is_token_letter(m->text[word - 1])) word--;
  return end < start && csec_is_word_of(m, word, end, commands) ? user : i;
}

// "12:30:45"
static bool is_time(const struct csec_masking *m, size_t start, size_t colon, size_t end) {
  for (size_t i = start; i < end; i++)
    if (!csec_is_number(m->text[i]) && m->text[i] != ':' && m->text[i] != '.' && m->text[i] != ',') return false;
  return colon - start <= 2 && end > colon + 2 && (end == colon + 3 || m->text[colon + 3] == ':');
}

// "sha256:0123abcd"
static bool is_digest(const struct csec_masking *m, size_t start, size_t colon, size_t end) {
  static const char *const names[] = {"sha1", "sha256", "sha384", "sha512", "md5", NULL};
  if (!csec_is_word_of(m, start, colon, names)) return false;
  for (size_t i = colon + 1; i < end; i++) {
    char c = m->text[i] | 0x20;
    if (!csec_is_number(m->text[i]) && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

// "u:p@w@tcp(db:3306)": the last '@' of Go's address that a protocol with parentheses follows; `i` if there is none.
static size_t at_before_protocol(const struct csec_masking *m, size_t i) {
  enum { PROTOCOL_MAX = 8 };
  size_t last = i;
  for (size_t j = i + 1; j < m->size && j < i + PASSWORD_MAX && !csec_ends_word(m->text[j]); j++) {
    if (m->text[j] != '@') continue;
    size_t end = j + 1;
    while (end < j + PROTOCOL_MAX && csec_is_token_letter(csec_at(m, end))) end++;
    if (csec_at(m, end) == '(' && end > j + 1) last = j;
  }
  return last;
}

// "user:password@host:5432"
size_t csec_read_address(struct csec_masking *m, size_t i) {
  static const char *const others[] = {"mailto", "sip", "sips", "xmpp", "acct", "npm", "pkg", NULL};
  m->key_end = 0;
  size_t least = m->kept + USER_AND_PASSWORD_MAX < i ? i - USER_AND_PASSWORD_MAX : m->kept, start = i, colon = 0;
  for (; start > least && !csec_ends_word(m->text[start - 1]); start--) {
    if (colon > start && (m->text[start - 1] == '(' || start == m->gap_end)) break;
    if (m->text[start - 1] == ':') colon = start - 1;
  }
  // What stands before is a colour.
  size_t gap, behind = csec_gap_at(m->text, i, start > 0 ? start - 1 : i, &gap) != CSEC_NO_GAP ? start - 1 + gap : 0;
  if (behind > start && behind < colon) start = behind;
  size_t user = oracle_user(m, start, i + 1);
  if (user > i) {
    size_t login = login_start(m, start, i);
    if (login < i) user = login;
  }
  if (user <= i) return user < i ? csec_mask(m, user, i) + 1 : i + 1;
  if (colon > start) i = at_before_protocol(m, i);
  if (!is_host(m, i + 1) && !is_local(m, start, colon, i)) return i + 1;
  start = user_start(m, start, colon);
  bool has_both = colon > start && colon + 1 < i && m->text[colon + 1] != '/';
  if (has_both && (is_time(m, start, colon, i) || is_digest(m, start, colon, i))) return i + 1;
  if (!has_both || csec_is_word_of(m, start, colon, others) || is_place(m, i + 1, colon + 1, i)) return i + 1;
  return csec_mask(m, start, i) + 1;
}

// `invalid port ":x" after host`
size_t csec_read_port(struct csec_masking *m, size_t i) {
  static const char before[] = "invalid ";
  size_t size = sizeof before - 1, from = i + 1, slashes = 0;
  if (m->key_start < size || !csec_begins(m->text, m->size, m->key_start - size, before)) return i;
  while (slashes < 4 && csec_at(m, from + slashes) == '\\') slashes++;
  from += slashes;
  if (csec_at(m, from) != '"' || csec_at(m, from + 1) != ':') return i;
  size_t end = csec_quoted_end(m, from + 2, '"', slashes);
  if (!csec_begins(m->text, m->size, end + slashes, "\" after host")) return i;
  return end > from + 2 && !csec_is_masked(m, from + 2) ? csec_mask(m, from + 2, end) : i;
}
