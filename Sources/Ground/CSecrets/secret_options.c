// Options of commands that hold passwords. Calls nothing but itself: async-signal-safe.
#include "secret_scan.h"

enum where { ATTACHED = 1, SEPARATE = 2, EITHER = 3, LOGIN = 4 };

struct program {
  const char *name;
  const char *option;
  enum where where;
};

static const struct program programs[] = {
    {"mysql", "p", ATTACHED},
    {"mysqldump", "p", ATTACHED},
    {"mysqladmin", "p", ATTACHED},
    {"mysqlimport", "p", ATTACHED},
    {"mysqlpump", "p", ATTACHED},
    {"mysqlcheck", "p", ATTACHED},
    {"mysqlshow", "p", ATTACHED},
    {"mysqlslap", "p", ATTACHED},
    {"mysqlbinlog", "p", ATTACHED},
    {"mariadb-admin", "p", ATTACHED},
    {"mycli", "p", ATTACHED},
    {"mariadb", "p", ATTACHED},
    {"mariadb-dump", "p", ATTACHED},
    {"mysqlsh", "p", ATTACHED},
    {"7z", "p", ATTACHED},
    {"7za", "p", ATTACHED},
    {"7zr", "p", ATTACHED},
    {"sshpass", "p", EITHER},
    {"mongo", "p", SEPARATE},
    {"mongosh", "p", SEPARATE},
    {"mongodump", "p", SEPARATE},
    {"mongorestore", "p", SEPARATE},
    {"login", "p", SEPARATE},
    {"redis-cli", "a", EITHER},
    {"ldapsearch", "w", EITHER},
    {"ldapadd", "w", EITHER},
    {"ldapmodify", "w", EITHER},
    {"ldapwhoami", "w", EITHER},
    {"ldapdelete", "w", EITHER},
    {"zip", "P", EITHER},
    {"unzip", "P", EITHER},
    {"sqlcmd", "P", EITHER},
    {"bcp", "P", EITHER},
    {"mosquitto_pub", "P", SEPARATE},
    {"mosquitto_sub", "P", SEPARATE},
    {"openssl", "k", SEPARATE},
    {"openssl", "K", SEPARATE},
    {"plink", "pw", SEPARATE},
    {"pscp", "pw", SEPARATE},
    {"psftp", "pw", SEPARATE},
    {"cqlsh", "p", SEPARATE},
    {"ncftp", "p", SEPARATE},
    {"rar", "p", ATTACHED},
    {"rar", "hp", ATTACHED},
    {"unrar", "p", ATTACHED},
    {"isql", "P", EITHER},
    {"tsql", "P", EITHER},
    {"snmpget", "A", SEPARATE},
    {"snmpget", "X", SEPARATE},
    {"snmpwalk", "A", SEPARATE},
    {"snmpwalk", "X", SEPARATE},
    {"sqlplus", "", LOGIN},
    {"sqlldr", "", LOGIN},
    {"rman", "", LOGIN},
    {"expdp", "", LOGIN},
    {"impdp", "", LOGIN},
};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static bool equals(const char *text, size_t size, const char *other) {
  size_t i = 0;
  while (i < size && other[i] && text[i] == other[i]) i++;
  return i == size && !other[i];
}

static bool are_equal(const char *text, const char *other) {
  for (; *text && *text == *other; text++, other++) {
  }
  return *text == *other;
}

const void *csec_program_named(const char *name, size_t size) {
  switch (size > 0 ? name[0] : 0) {
    case '7':
    case 'b':
    case 'c':
    case 'e':
    case 'i':
    case 'l':
    case 'm':
    case 'n':
    case 'o':
    case 'p':
    case 'r':
    case 's':
    case 't':
    case 'u':
    case 'z': break;
    default: return NULL;
  }
  for (size_t i = 0; i < PROGRAMS; i++)
    if (programs[i].name[0] == name[0] && size > 1 && programs[i].name[1] == name[1]
        && equals(name, size, programs[i].name))
      return &programs[i];
  return NULL;
}

static bool has_secret(const struct program *program, const char *option, size_t size, size_t *from) {
  size_t i = 0;
  while (i + 1 < size && program->option[i] && option[i + 1] == program->option[i]) i++;
  if (program->option[i]) return false;
  *from = size > i + 1 ? i + 1 : 0;
  return program->where & (size > i + 1 ? ATTACHED : SEPARATE);
}

bool csec_program_takes_login(const void *program) {
  const struct program *known = program;
  return known && known->where == LOGIN;
}

size_t csec_login_end(const char *text, size_t from, size_t to) {
  size_t slash = from, at = from;
  while (slash < to && text[slash] != '/' && text[slash] != ':') slash++;
  if (slash == from || slash == to || text[slash] == ':') return from;
  for (size_t i = slash + 2; i < to && at == from; i++)
    if (text[i] == '@') at = i;
  return at;
}

bool csec_option_has_secret(const void *program, const char *option, size_t size, size_t *from) {
  if (!program || size < 2 || option[0] != '-') return false;
  const struct program *known = program;
  const char *name = known->name;
  for (; known < programs + PROGRAMS && are_equal(name, known->name); known++)
    if (has_secret(known, option, size, from)) return true;
  return false;
}

// The size of "-su" of curl: options without values, and "u" at the end. 0 if it is another option.
static size_t cluster_of_user(const char *option, size_t size) {
  static const char flags[] = "#0346fgiIjkLNORsSv";
  size_t i = 1;
  if (size < 3 || option[0] != '-') return 0;
  for (; i < size; i++) {
    const char *flag = flags;
    while (*flag && *flag != option[i]) flag++;
    if (!*flag) break;
  }
  if (i < 2 || i == size || option[i++] != 'u') return 0;
  return i == size || (uint8_t)option[i] <= ' ' ? i : 0;
}

bool csec_option_has_user(const char *option, size_t size, size_t *length) {
  static const char *const names[] = {"--basic-auth", "--login", "--proxy-user", "--user", "-u", "-U", NULL};
  for (const char *const *name = names; *name; name++) {
    size_t i = 0;
    while (i < size && (*name)[i] && option[i] == (*name)[i]) i++;
    // A letter of one character may have its value attached.
    if ((*name)[i] || (i > 2 && i < size && option[i] != '=' && !csec_ends_word(option[i]))) continue;
    *length = i;
    return true;
  }
  *length = cluster_of_user(option, size);
  return *length > 0;
}

bool csec_is_user_and_password(const struct csec_masking *m, size_t from, size_t to) {
  size_t end = csec_next(m, from, CSEC_USER_END);
  return end + 1 < to && csec_next(m, from, CSEC_NO_DIGIT) < end && m->text[end + 1] != '/';
}

// The value of an option at `i`, perhaps in quotes.
static struct csec_secret_value option_value(const struct csec_masking *m, size_t i) {
  char quote = csec_at(m, i);
  if (csec_is_quote(quote))
    return (struct csec_secret_value){i + 1, csec_quoted_end(m, i + 1, quote, 0), .is_quoted = true};
  return (struct csec_secret_value){i, csec_plain_value_end(m, i), .is_quoted = false};
}

// Words that follow an option's name in a sentence, and not as its value.
static bool is_said(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const words[] = {
      "to",    "or",   "and",    "is",      "was",  "are",      "for", "in",      "with",    "the",      "a",
      "an",    "on",   "option", "options", "flag", "argument", "not", "instead", "without", "requires", "required",
      "needs", "must", "has",    "if",      "as",   "missing",  "==",  "!=",      "<=",      ">=",       "&&",
      "||",    "?",    "+",      "*",       "/",    "%",        "=",   NULL};
  return from == to || csec_is_word_of(m, from, to, words);
}

// Where openssl reads a password from, and not the password: "file:/k", "env:X", "stdin".
bool csec_is_source(const char *text, size_t size) {
  static const char *const sources[] = {"file:", "env:", "fd:", NULL};
  for (const char *const *source = sources; *source; source++) {
    size_t i = 0;
    while (i < size && (*source)[i] && text[i] == (*source)[i]) i++;
    if (!(*source)[i]) return true;
  }
  return equals(text, size, "stdin");
}

// What stands before an option.
enum before { NO_OPTION, LOOSE, TIGHT };

// LOOSE behind a blank, a quote or a line's end: then a value may be attached to a letter. TIGHT behind a sign: "-up:x"
// may be a word there.
static enum before before_option(const struct csec_masking *m, size_t i) {
  if (i == 0 || csec_is_blank(m->text[i - 1]) || csec_is_quote(m->text[i - 1])) return LOOSE;
  char c = m->text[i - 1];
  if (csec_ends_line(c)) return csec_goes_on(m, i - 1) ? LOOSE : TIGHT;
  if (i == m->gap_end || (uint8_t)c >= 0x80 || (uint8_t)c < ' ') return TIGHT;
  // A line that a diff adds
  if (c == '+') return csec_begins_line(m, i - 1) ? TIGHT : NO_OPTION;
  switch (c) {
    case '(':
    case '[':
    case '{':
    case '|':
    case ';':
    case ',':
    case '=':
    case ':':
    case '&':
    case '>': return TIGHT;
    default: return csec_follows_written_end(m->text, i) ? TIGHT : NO_OPTION;
  }
}

// "[--token TOKEN]", "[-u user:password]": how to call a program.
static bool is_usage(const struct csec_masking *m, size_t i, size_t from, size_t to) {
  static const char *const words[] = {"arg", "file", "key", "path", "str", "string", "text", "value", NULL};
  char before = i > 0 ? m->text[i - 1] : 0;
  if (before != '[' && before != '|') return false;
  size_t colon = csec_next(m, from, CSEC_USER_END);
  if (colon < to) from = colon + 1;
  while (to > from && csec_can_follow(m->text[to - 1])) to--;
  return csec_at(m, from) == '<' || csec_is_word_of(m, from, to, words)
         || csec_key_is_secret(m->text + from, to - from);
}

// The value of the option at `i` without the bracket that closes the one before the option.
static struct csec_secret_value within_bracket(const struct csec_masking *m, size_t i, struct csec_secret_value value) {
  char open = i > 0 ? m->text[i - 1] : 0, close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : 0;
  size_t to = close && !value.is_quoted ? csec_without_clause_end(m, value.from, value.to) : value.to;
  // ')' ends a clause too.
  if (close == ')') {
    while (to < value.to && m->text[to] != close) to++;
    value.to = to;
  } else if (close && to > value.from && m->text[to - 1] == close) {
    value.to = to - 1;
  }
  return value;
}

static size_t mask_value(struct csec_masking *m, size_t i, struct csec_secret_value value) {
  value = within_bracket(m, i, value);
  if (!value.is_quoted && (is_said(m, value.from, value.to) || m->text[value.from] == '-')) return i;
  if (!value.is_quoted && is_usage(m, i, value.from, value.to)) return i;
  if (csec_is_source(m->text + value.from, value.to - value.from)) return i;
  return value.to > value.from ? csec_mask(m, value.from, value.to) : i;
}

// "-u name:password"
static size_t read_user(struct csec_masking *m, size_t i, size_t end) {
  while (csec_is_blank(csec_at(m, end)) || csec_at(m, end) == '=') end++;
  struct csec_secret_value value = option_value(m, end);
  if (!csec_is_user_and_password(m, value.from, value.to)) return i;
  return mask_value(m, i, value);
}

// Whether the option at `i`, whose name ends at `end`, is in quotes itself: an element of a printed list.
static bool is_element(const struct csec_masking *m, size_t i, size_t end) {
  return i > 0 && csec_is_quote(csec_at(m, end)) && m->text[i - 1] == m->text[end];
}

// The place behind one blank at `end` and the colours around it, or behind a backslash and the end of its line. 0 if
// neither stands there.
static size_t word_behind(const struct csec_masking *m, size_t end) {
  size_t blank = csec_is_blank(csec_at(m, end)) ? end : csec_behind_gaps(m->text, m->size, end), next = blank;
  if (csec_is_blank(csec_at(m, blank))) next = blank + 1;
  if (next == end) return 0;
  size_t line = csec_at(m, next) == '\\' ? csec_next_line(m, next + 1) : next + 1;
  return csec_behind_gaps(m->text, m->size, line > next + 1 ? csec_skip_blanks(m, line) : next);
}

// Where the value begins that is a word, or an element, of its own; 0 if none follows.
static size_t separate_value(const struct csec_masking *m, size_t i, size_t end) {
  size_t word = word_behind(m, end);
  if (word > 0) return word;
  if (!is_element(m, i, end)) return 0;
  size_t behind = end + 1, next = csec_skip_blanks(m, behind + (csec_at(m, behind) == ','));
  return next > behind && csec_is_quote(csec_at(m, next)) ? next : 0;
}

// "'-uroot', '-px'", of a list whose program is not shown: whether an element "-u" stands before the one at `i`.
static bool follows_user(const struct csec_masking *m, size_t i) {
  enum { NEAR = 96 };
  if (i == 0 || !csec_is_quote(m->text[i - 1])) return false;
  char quote = m->text[i - 1];
  for (size_t j = i - 1; j > 0 && i - j < NEAR && !csec_ends_line(m->text[j]); j--)
    if (m->text[j - 1] == quote && csec_begins(m->text, m->size, j, "-u")) return true;
  return false;
}

// Of the option "-px" behind "-u": x. Empty if "-p" is a port or an option of a compiler.
static struct csec_secret_value password_of_user(const struct csec_masking *m, size_t i) {
  static const char *const others[] = {"pthread", "pipe", "pedantic", NULL};
  struct csec_secret_value none = {0};
  if (csec_at(m, i + 1) != 'p' || !follows_user(m, i)) return none;
  size_t end = csec_quoted_end(m, i + 2, m->text[i - 1], 0);
  bool is_port = true;
  for (size_t j = i + 2; j < end; j++) is_port &= csec_is_number(m->text[j]) || m->text[j] == ':' || m->text[j] == '.';
  if (is_port || csec_is_word_of(m, i + 1, end, others)) return none;
  return (struct csec_secret_value){i + 2, end, .is_quoted = true};
}

size_t csec_read_option(struct csec_masking *m, size_t i) {
  enum before before = before_option(m, i);
  if (before == NO_OPTION) return i;
  size_t end = i, from = 0, length;
  while (end < m->size && csec_is_key(m->text[end])) end++;
  size_t next = separate_value(m, i, end);
  // "-p'x'"
  bool has_quote = csec_is_quote(csec_at(m, end)) && !is_element(m, i, end);
  if (csec_option_has_secret(m->program, m->text + i, end - i + has_quote, &from) && (from > 0 || next > 0)) {
    struct csec_secret_value value = option_value(m, from > 0 ? i + from : next);
    return mask_value(m, i, value);
  }
  struct csec_secret_value password = password_of_user(m, i);
  if (password.to > password.from) return mask_value(m, i, password);
  // An element that is the last one of its list has no value.
  if (next == 0 && is_element(m, i, end)) return i;
  if (csec_option_has_user(m->text + i, m->size - i, &length)
      && (before == LOOSE || next > 0 || csec_at(m, end) == '='))
    return read_user(m, i, length == end - i && next > 0 ? next : i + length);
  size_t name = i;
  while (name < end && m->text[name] == '-') name++;
  if (next == 0 || end - name < 3) return i;
  bool is_secret = csec_key_is_secret(m->text + name, end - name) || csec_is_word(m, name, end, "key");
  return is_secret ? mask_value(m, i, option_value(m, next)) : i;
}
