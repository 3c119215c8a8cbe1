// Passwords in commands of protocols and of SQL: AUTH, PASS, LOGIN, IDENTIFIED BY, and lines of netrc and .pgpass.
// Calls nothing but the rest of this folder: async-signal-safe.
#include "secret_scan.h"

enum { WORD_MAX = 128, MECHANISM_TOKEN_MIN = 8 };

static size_t skip_blanks(const struct csec_masking *m, size_t i) {
  size_t most = i + WORD_MAX;
  for (size_t size; i < most && (size = csec_blank_size(m, i)) > 0;) i += size;
  return i;
}

static size_t word_end(const struct csec_masking *m, size_t i) {
  size_t end = i;
  while (end < m->size && end < i + WORD_MAX && (uint8_t)m->text[end] > ' ') end++;
  return end;
}

// A word, or a text in quotes without these.
static struct csec_secret_value value_at(const struct csec_masking *m, size_t i) {
  char quote = csec_at(m, i);
  if (!csec_is_quote(quote)) return (struct csec_secret_value){i, word_end(m, i), .is_quoted = false};
  return (struct csec_secret_value){i + 1, csec_quoted_end(m, i + 1, quote, 0), .is_quoted = true};
}

// "testLogin2", "test_login_2": a test whose verdict is PASS.
bool csec_is_test(const struct csec_masking *m, size_t i) {
  char behind = csec_at(m, i + 4);
  return csec_is_word(m, i, i + 4 < m->size ? i + 4 : i, "test") && (behind == '_' || (behind >= 'A' && behind <= 'Z'));
}

static size_t mask_random(struct csec_masking *m, struct csec_secret_value value, size_t otherwise) {
  if (value.to == value.from || m->text[value.from] == '*') return otherwise;
  bool is_secret = value.is_quoted || csec_looks_random(m, value.from, value.to, true);
  return is_secret ? csec_mask(m, value.from, value.to) : otherwise;
}

static bool is_mechanism_token(const struct csec_masking *m, size_t from, size_t to) {
  bool is_mixed = false;
  for (size_t i = from + 1; i < to; i++)
    is_mixed |= csec_is_number(m->text[i]) || (m->text[i] >= 'a' && m->text[i] <= 'z');
  return is_mixed && to - from >= MECHANISM_TOKEN_MIN;
}

// "AUTH x1", "AUTH user x1", "AUTH PLAIN AGJv…"
static size_t read_auth(struct csec_masking *m, size_t i) {
  size_t start = skip_blanks(m, i), end = word_end(m, start), second = skip_blanks(m, end);
  static const char *const mechanisms[] = {"plain", "login", "xoauth2", "oauthbearer", "cram-md5", NULL};
  size_t second_end = word_end(m, second);
  if (csec_is_word_of(m, start, end, mechanisms))
    return is_mechanism_token(m, second, second_end) ? csec_mask(m, second, second_end) : i;
  // The name of a user may have digits too.
  size_t first = mask_random(m, value_at(m, start), i);
  return second == end ? first : mask_random(m, value_at(m, second), first);
}

// "LOGIN bob x1"
static size_t read_login(struct csec_masking *m, size_t i) {
  struct csec_secret_value user = value_at(m, skip_blanks(m, i));
  size_t end = user.to + user.is_quoted, start = skip_blanks(m, end);
  return user.to > user.from && start > end ? mask_random(m, value_at(m, start), i) : i;
}

// "IDENTIFIED BY 'x'", "IDENTIFIED WITH plugin BY PASSWORD 'x'". Words in small letters may be a sentence.
static size_t read_identified(struct csec_masking *m, size_t i) {
  size_t start = skip_blanks(m, i), end = word_end(m, start);
  if (csec_is_word(m, start, end, "with")) {
    start = skip_blanks(m, word_end(m, skip_blanks(m, end)));
    end = word_end(m, start);
  }
  bool is_hash = csec_is_word(m, start, end, "as");
  if (!is_hash && !csec_is_word(m, start, end, "by")) return i;
  bool is_loud = m->text[start] == 'B';
  start = skip_blanks(m, end);
  end = word_end(m, start);
  if (csec_is_word(m, start, end, "password")) start = skip_blanks(m, end);
  struct csec_secret_value value = value_at(m, start);
  bool is_secret = value.is_quoted || (is_loud && !is_hash && csec_is_token_letter(csec_at(m, start)));
  return is_secret && value.to > value.from ? csec_mask(m, value.from, value.to) : i;
}

static size_t skip_lines(const struct csec_masking *m, size_t i) {
  size_t most = i + WORD_MAX;
  while (i < most && i < m->size && (uint8_t)m->text[i] <= ' ') i++;
  return i;
}

// Behind "machine" or "default" of netrc: "h login bob password x", in any order.
static size_t read_netrc(struct csec_masking *m, size_t i) {
  static const char *const keys[] = {"login", "account", "password", NULL};
  enum { PAIRS_MAX = 3 };
  struct csec_secret_value password = {0};
  bool has_login = false;
  size_t start = skip_lines(m, i), end = word_end(m, start);
  if (!csec_is_word_of(m, start, end, keys)) start = skip_lines(m, end);
  bool is_ordered = csec_is_word(m, start, word_end(m, start), "login");
  for (int pairs = 0; pairs < PAIRS_MAX; pairs++) {
    end = word_end(m, start);
    if (!csec_is_word_of(m, start, end, keys)) break;
    struct csec_secret_value value = value_at(m, skip_lines(m, end));
    if (csec_is_word(m, start, end, "password")) password = value;
    has_login |= csec_is_word(m, start, end, "login");
    start = skip_lines(m, value.to + value.is_quoted);
  }
  // "machine learning password for login is unset" goes on.
  bool ends = start >= m->size || csec_ends_line(m->text[start - 1]);
  return has_login && (is_ordered || ends) && password.to > password.from ? csec_mask(m, password.from, password.to)
                                                                          : i;
}

// Whether PASS at `i` begins a line, perhaps behind what programs put before what they send: "> ", "---> ", "ftp> ",
// "C: ", "[1] C: ".
static bool is_sent(const struct csec_masking *m, size_t i) {
  enum { MARK_MAX = 8 };
  if (csec_begins_line(m, i)) return true;
  i = csec_before_gaps(m->text, i);
  size_t start = i - 1, least = i > MARK_MAX ? i - MARK_MAX : 0;
  if (m->text[start] != ' ' || start < 1) return false;
  start = csec_before_gaps(m->text, start);
  if (start < 1) return false;
  char mark = m->text[--start];
  if (mark == ':' && start > 0 && m->text[start - 1] == 'C') {
    start--;
  } else if (mark == '>') {
    while (start > least && (m->text[start - 1] == '-' || m->text[start - 1] == '>')) start--;
    if (start >= 3 && csec_begins(m->text, m->size, start - 3, "ftp")) start -= 3;
  } else {
    return false;
  }
  return csec_begins_line(m, start) || (start > 1 && m->text[start - 1] == ' ' && m->text[start - 2] == ']');
}

// Whether this word begins the line before, or the line behind.
static bool has_line_before(const struct csec_masking *m, size_t i, const char *word) {
  size_t end = i;
  while (end > 0 && csec_ends_line(m->text[end - 1]) && i - end < 2) end--;
  size_t start = end;
  while (start > 0 && end - start < WORD_MAX && !csec_ends_line(m->text[start - 1])) start--;
  return end < i && csec_begins(m->text, m->size, start, word);
}

// "PASS x" of POP3, FTP and IRC: the only word of its line, behind a mark or beside the line of the user.
static size_t read_pass(struct csec_masking *m, size_t i) {
  size_t end = read_auth(m, i);
  if (end > i) return end;
  size_t start = skip_blanks(m, i), next = end = word_end(m, start);
  if (start == end || !csec_is_token_letter(m->text[start])) return i;
  next = csec_behind_gaps(m->text, m->size, next);
  size_t word = next;
  while (next < word + 2 && csec_ends_line(csec_at(m, next))) next++;
  if (next == word && word < m->size) return i;
  bool is_marked = !csec_begins_line(m, m->key_start);
  bool is_beside = has_line_before(m, m->key_start, "USER ") || csec_begins(m->text, m->size, next, "NICK ")
                   || csec_begins(m->text, m->size, next, "USER ");
  return is_marked || is_beside ? csec_mask(m, start, end) : i;
}

size_t csec_read_command(struct csec_masking *m, size_t i) {
  size_t from = m->key_start, size = i - from;
  bool is_netrc = m->text[from] == 'd' || m->text[from] == 'm';
  if (csec_ends_line(m->text[i]) && !is_netrc) return i;
  switch (m->text[from]) {
    case 'A':
      if (csec_is_exactly(m->text + from, i - from, "AUTH")
          || csec_is_exactly(m->text + from, i - from, "AUTHENTICATE"))
        return read_auth(m, i);
      return i;
    case 'p': return csec_is_exactly(m->text + from, i - from, "port") ? csec_read_port(m, i) : i;
    case 'P':
      return csec_is_exactly(m->text + from, i - from, "PASS") && is_sent(m, from) && !csec_is_test(m, i + 1)
                 ? read_pass(m, i)
                 : i;
    case 'L': return csec_is_exactly(m->text + from, i - from, "LOGIN") ? read_login(m, i) : i;
    case 'I':
    case 'i': return size == 10 && csec_is_word(m, from, i, "identified") ? read_identified(m, i) : i;
    case 'd':
      return csec_is_exactly(m->text + from, i - from, "default") && csec_begins_line(m, from) ? read_netrc(m, i) : i;
    case 'e': return csec_is_exactly(m->text + from, i - from, "entry") ? csec_read_entry(m, i) : i;
    case 'm':
      return csec_is_exactly(m->text + from, i - from, "machine") && csec_begins_line(m, from) ? read_netrc(m, i) : i;
    default: return i;
  }
}

// --- .pgpass -------------------------------------------------------------------------------------------------------

static bool is_address_part(const struct csec_masking *m, size_t from, size_t to) {
  if (to - from > 4) return false;
  for (; from < to; from++) {
    char c = m->text[from] | 0x20;
    if (!csec_is_number(c) && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

// "localhost:5432:db:bob:x": five fields, and no blanks. Numbers of lines and addresses have a number as the third.
size_t csec_read_pgpass(struct csec_masking *m, size_t i) {
  enum { FIELDS = 4, LINE_MAX = 256 };
  size_t colons[FIELDS] = {0}, count = 0, end = i;
  for (; end < m->size && end < i + LINE_MAX && !csec_ends_word(m->text[end]); end++)
    if (m->text[end] == ':' && count < FIELDS) colons[count++] = end;
  bool ends = csec_is_line_end(m, end);
  if (count < FIELDS || !ends || colons[0] == i || end == colons[3] + 1) return i;
  for (size_t k = 1; k < FIELDS; k++)
    if (colons[k] == colons[k - 1] + 1) return i;
  bool is_port = csec_at(m, colons[0] + 1) == '*';
  size_t digits = csec_digits_end(m, colons[0] + 1, colons[1]);
  if (!(is_port && colons[1] == colons[0] + 2) && digits != colons[1]) return i;
  if (csec_is_number(m->text[colons[1] + 1]) || csec_is_number(m->text[colons[2] + 1])) return i;
  if (is_address_part(m, colons[1] + 1, colons[2]) && is_address_part(m, colons[3] + 1, end)) return i;
  return m->text[colons[3] + 1] == '*' ? i : csec_mask(m, colons[3] + 1, end);
}
