#pragma once
// A text that is searched for secrets, and the copy that is made of it. Async-signal-safe.
#include "CSecrets.h"
#include "secret_gaps.h"
#include "secret_letters.h"
#include "secret_tokens.h"
#include "secrets.h"

#pragma GCC visibility push(hidden)

/// The longest key, and the longest name that a key's value has.
enum { CSEC_KEY_MAX = 128 };

/// Whether the text holds a key in JSON, which "kty" shows, or a Secret of Kubernetes, which "kind" shows.
enum csec_key_type { CSEC_KEY_TYPE_UNKNOWN, CSEC_KEY_TYPE_HERE, CSEC_KEY_TYPE_NOWHERE };

/// What the text is searched for from many places. The values of keys that stand in one word end at the same place.
enum csec_sought {
  CSEC_LINE_END,
  CSEC_SPACE,
  CSEC_DIGIT,
  CSEC_NO_DIGIT,
  CSEC_SIGN,      // of a place, a pair or a call: '=', ':', '(', '.'
  CSEC_KEY_END,   // of a key in which '%' may stand
  CSEC_USER_END,  // the ':' or '%' behind a user
  CSEC_PAIR,      // '=', '&' or the line's end
  CSEC_DOUBLE_QUOTE,
  CSEC_SINGLE_QUOTE,
  CSEC_BACK_QUOTE,
  CSEC_PLAIN_END,          // the end of a value without quotes
  CSEC_PLAIN_END_IN_JSON,  // the same behind a key in quotes
  CSEC_HEADER_END,
  CSEC_HEADER_END_OF_PAIR,  // the same behind '='
  CSEC_OPTIONAL_END,        // the ')' of "Optional(x)", or the line's end
  CSEC_CLAUSE_END,          // read by csec_without_clause_end
  CSEC_BLOCK_END,           // read by csec_block_end
  CSEC_SOUGHT_COUNT,
};

/// Where a search began, and what it found.
struct csec_stretch {
  size_t from, to;
};

/// The last searches of one kind. For one key the ends of so many words are asked for: the value, the word behind its
/// scheme, and both of what it becomes.
enum { CSEC_STRETCHES = 4 };
struct csec_stretches {
  struct csec_stretch last[CSEC_STRETCHES];
  size_t count;
};

/// The rows of a statement: which of their columns are secrets, and the next field that is one.
struct csec_rows {
  uint64_t secrets;
  size_t at, from, to;
  unsigned column, depth;
};

/// The copy that is made, up to where of the text it goes, and what was read last.
struct csec_masking {
  const char *text;
  size_t size;
  char *room;
  size_t capacity, written;
  size_t kept;
  /// Up to where the copy goes. What is behind only shows what the text before means.
  size_t shown;
  /// One for each byte of the text if credentials are marked, and no copy is made.
  bool *marks;
  /// The last word that may be a key; what may stand between it and its value has been read if `is_closed`.
  size_t key_start, key_end;
  bool is_closed, is_quoted;
  /// The text is the name of a function or a path: there are no pairs in it.
  bool is_name;
  /// What the text last named as a key whose value follows elsewhere, and where: `{"name": "password", "value": "x"}`.
  enum csec_secrecy named;
  size_t named_at;
  /// What is known of that name: it belongs to the object that is read now, stands behind "- ", is a session's. A name
  /// at `taken_at` belongs to the value before it.
  bool has_name, is_item, is_session;
  size_t taken_at;
  /// The lines that dump() put below a secret's key.
  size_t dumped_from, dumped_to;
  /// Behind "HTTPCookie" as Foundation shows it; 0 if there was none.
  size_t cookie_end;
  /// Up to where a statement of SQL may hold a password.
  size_t statement_end;
  /// Behind a gap or a character in percent encoding: a token may begin here.
  size_t gap_start, gap_end;
  /// The token in the path of the last URL.
  size_t token_from, token_to;
  /// Up to where rules of Redis' users may hold passwords.
  size_t rules_end;
  /// The name of the tag that was opened last, without its namespace. `tag_end` is 0 outside of tags.
  size_t tag_start, tag_end;
  /// The word around the last URL, and its last '@'.
  size_t word_end, last_at;
  /// The last searches of each kind; NULL if only a part of the text is looked at.
  struct csec_stretches *stretches;
  struct csec_rows rows;
  enum csec_key_type key_type, kind;
  /// The last command of this line that has a password among its options.
  const void *program;
};

struct csec_secret_value {
  size_t from, to;
  bool is_quoted, is_spaced;
};

/// A list or an object up to its bracket, how many texts it holds, and whether one is not empty. The end is 0 if it is
/// not closed.
struct csec_group {
  size_t end, texts;
  bool has_content;
};

/// A value within what wraps it. If `to` is 0, it is read as any other.
struct csec_wrapped {
  size_t from, to;
};

/// Puts the mask in place of these bytes. Returns where to read on.
size_t csec_mask(struct csec_masking *m, size_t from, size_t to);

/// The value of a secret key, with the sign before `i`. It is empty if there is none.
struct csec_secret_value csec_secret_value_at(const struct csec_masking *m, size_t i, char sign,
                                              enum csec_secrecy secrecy);

/// From the bracket at `i` up to the one that closes it, within so many bytes. Brackets inside of texts do not count.
struct csec_group csec_group_at(const struct csec_masking *m, size_t i, size_t most);

/// The value that the types at `i` wrap: Optional("x"), Swift.Optional<String>.some("x"), SecretStr('x'), N'x', #"x"#,
/// string(1) "x", Secret(storage: "x"), Set(["x"]), []string{"x"}, (string) (len=1) "x", <<"x">>, ('user', 'x').
struct csec_wrapped csec_unwrapped(const struct csec_masking *m, size_t i, enum csec_secrecy secrecy);

/// Behind `value: ` and the like; `i` if there is no such label.
size_t csec_value_label_end(const struct csec_masking *m, size_t i);

/// Whether the value that follows the last key and this sign is no secret after all.
bool csec_is_plain_value(const struct csec_masking *m, const struct csec_secret_value *value, char sign,
                         enum csec_secrecy secrecy);

/// Behind a secret's value, which was read up to `i`: masks what it becomes, "a" -> "b". Returns where to read on, or
/// `i`.
size_t csec_read_change(struct csec_masking *m, size_t i, const struct csec_secret_value *value);

/// The size of the sign at `i` that closes a typographic quote, or of a quote that is written as "&quot;" and the
/// like. 0 for another character.
size_t csec_closing_size(const struct csec_masking *m, size_t i);

/// How secret the value of the last key is.
enum csec_secrecy csec_last_key_secrecy(const struct csec_masking *m);

/// Whether a value in a sentence looks like a secret: it has digits, and is no number, measure, pair or place. If
/// `is_code`, a number of four digits is one.
bool csec_looks_random(const struct csec_masking *m, size_t from, size_t to, bool is_code);

/// Whether a short word's value is a setting or a measure: "pin=13", "auth=on", "hmac=sha256".
bool csec_is_setting(const struct csec_masking *m, size_t from, size_t to);

/// Whether the value is a parser's word: "unexpected token: foo1", "syntax token=let1".
bool csec_is_of_parser(const struct csec_masking *m, size_t from, size_t to);

/// Where the decimal digits end that begin at `from`.
size_t csec_digits_end(const struct csec_masking *m, size_t from, size_t to);

/// At a bracket behind a key: behind the subscript of a pair, "[password] => x", "password[]=x"; `i` if there is none.
size_t csec_read_subscript(const struct csec_masking *m, size_t i);

/// At ')' behind a key: whether it closes a key of Swift, "AnyHashable("password"): "x"".
bool csec_closes_hashable(const struct csec_masking *m, size_t i);

/// Whether the last key is one of dump(), behind "▿ ".
bool csec_is_dumped(const struct csec_masking *m);

/// Behind the sign of a key that dump() shows: remembers what is below it.
void csec_read_dumped(struct csec_masking *m, enum csec_secrecy secrecy);

/// Whether the value is the name of a type, and what the type holds follows on the next lines.
bool csec_is_dumped_type(const struct csec_masking *m, const struct csec_secret_value *value);

/// At a quote below a secret key of dump(): masks the text. Returns where to read on, or `i`.
size_t csec_read_dumped_text(struct csec_masking *m, size_t i);

/// Whether the last key is the private part of a key in JSON: {"kty": "EC", "d": "x"}.
bool csec_is_key_of_jwk(struct csec_masking *m);

/// At the blank behind a key: masks what a sentence or a table says of it. Returns where to read on, or `i`.
size_t csec_read_sentence(struct csec_masking *m, size_t i);

/// Whether the name of a test begins at `i`, whose verdict is PASS: "testLogin2", "test_login_2".
bool csec_is_test(const struct csec_masking *m, size_t i);

/// At the blank or line end behind a word: masks the password of a command such as AUTH. Returns where to read on, or
/// `i`.
size_t csec_read_command(struct csec_masking *m, size_t i);

/// At the quote behind a key: masks what the next words in quotes say. Returns where to read on, or `i`.
size_t csec_read_quoted_words(struct csec_masking *m, size_t i);

/// Whether the last key is that of the arguments of Redis' AUTH, which is named before.
bool csec_is_value_of_auth(const struct csec_masking *m);

/// At the line end, or its backslash, behind a key: masks the argument of Redis' AUTH. Returns where to read on, or
/// `i`.
size_t csec_read_bulk(struct csec_masking *m, size_t i);

/// At the blank or quote behind a word of this size: remembers the rules of a user if it is Redis' SETUSER. At '>' in
/// these: masks the password of a rule. Returns where to read on, or `i`.
enum { CSEC_SETUSER_SIZE = sizeof "SETUSER" - 1 };
void csec_read_rules(struct csec_masking *m, size_t i);
size_t csec_read_rule(struct csec_masking *m, size_t i);

/// At the begin of a line: masks the password if it is one of .pgpass. Returns where to read on, or `i`.
size_t csec_read_pgpass(struct csec_masking *m, size_t i);

/// At the quote behind a key: masks the second half of a list of two. Returns where to read on, or `i`.
size_t csec_read_list(struct csec_masking *m, size_t i);

/// Behind the sign of a pair: remembers the name of a secret as the value of "name" or "key".
void csec_read_name(struct csec_masking *m, size_t i);

/// How secret the value of the last key is if it is "value" or the like, by what is named before or behind. The value
/// follows at `i`.
enum csec_secrecy csec_named_secrecy(struct csec_masking *m, size_t i);

/// Whether these words name a key, or the value of a key that stands elsewhere.
bool csec_is_naming(const struct csec_masking *m, size_t from, size_t to);
bool csec_is_value_word(const struct csec_masking *m, size_t from, size_t to);

/// Whether a list's "- " of YAML, or the "▿ " of dump(), stands before the last key.
bool csec_begins_item(const struct csec_masking *m);

/// Where the name begins that follows a value within the same object, element or line; 0 if there is none. The value
/// ends at `i`.
size_t csec_name_behind(const struct csec_masking *m, size_t i);

/// Where the value at `i` ends if that is near; 0 if it is not.
size_t csec_near_value_end(struct csec_masking *m, size_t i);

/// Whether a key or a name is that of a session.
bool csec_is_session(const struct csec_masking *m, size_t from, size_t to);
bool csec_is_value_of_session(const struct csec_masking *m);

/// Behind the sign of a key that is no secret: masks a session's value. Returns where to read on, or `i`.
size_t csec_read_session(struct csec_masking *m, size_t i);

/// Whether the word is Foundation's name for a cookie, and whether the last key is the value in one.
bool csec_is_cookie(const struct csec_masking *m, size_t from, size_t to);
bool csec_is_value_of_cookie(const struct csec_masking *m);

/// At '(': masks a text in the parentheses of a secret's name. Returns where to read on, or `i`.
size_t csec_read_call(struct csec_masking *m, size_t i);

/// At the blank behind a word: remembers a statement of SQL that may hold a password.
void csec_read_statement(struct csec_masking *m, size_t i);

/// Whether a text of SQL that needs no digits begins at `i`, behind the word PASSWORD.
bool csec_is_sql_text(const struct csec_masking *m, size_t i, struct csec_secret_value *value);

/// Whether the last key is that of SQLCipher: "PRAGMA key".
bool csec_is_pragma(const struct csec_masking *m);

/// At '(': remembers the rows of a statement, and masks a key of a row. Returns where to read on, or `i`.
size_t csec_read_rows(struct csec_masking *m, size_t i);

/// In a secret field of a row: masks it. Returns where to read on, or `i`.
size_t csec_read_field(struct csec_masking *m, size_t i);

/// At the blank behind "entry": masks what is twice in a table. Returns where to read on, or `i`.
size_t csec_read_entry(struct csec_masking *m, size_t i);

/// Behind the headers of a form's part, at a line end or its backslash: masks the part if its name is that of a secret.
/// Returns where to read on, or `i`.
size_t csec_read_part(struct csec_masking *m, size_t i);

/// At '>' behind a key: whether it closes one of Erlang's binaries, <<"password">>.
bool csec_closes_binary(const struct csec_masking *m, size_t i);

/// At ',' behind a key: whether a pair of Erlang or Elixir is here, {password,"x"}. At a blank: one of Clojure,
/// {:password "x"}.
bool csec_is_pair_of_terms(const struct csec_masking *m, size_t i);
bool csec_is_keyword(const struct csec_masking *m, size_t i);

/// At ':' behind a key: where "=>" begins behind a private member of PHP, [password:Foo:private] => x, else `i`.
size_t csec_member_sign(const struct csec_masking *m, size_t i);

/// Behind the sign of a key that is no secret: masks the hash in the response of a Digest. Returns where to read on, or
/// `i`.
size_t csec_read_digest(struct csec_masking *m, size_t i);

/// At the blank behind "port": masks the piece of a password that Go took for one. Returns where to read on, or `i`.
size_t csec_read_port(struct csec_masking *m, size_t i);

/// Whether the last key is that of the data in a Secret of Kubernetes.
bool csec_is_data_of_secret(struct csec_masking *m);

/// YAML: the first character of a block whose mark is at `i`, or 0; the end of its lines; and the value behind anchors
/// and tags, or `i`.
size_t csec_block_start(const struct csec_masking *m, size_t i);
size_t csec_block_end(const struct csec_masking *m, size_t i);
size_t csec_node_start(const struct csec_masking *m, size_t i, enum csec_secrecy secrecy);

/// Behind the later words that belong to the value from `i` to `end`: those of a phrase, or of a line.
size_t csec_later_words_end(const struct csec_masking *m, size_t i, size_t end, enum csec_secrecy secrecy);

/// At '<' remembers the tag, and behind it, at '>', masks what the element holds. The latter returns where to read on,
/// or `i`.
void csec_read_tag(struct csec_masking *m, size_t i);
size_t csec_read_element(struct csec_masking *m, size_t i);

/// Where the next one of these stands, from `i` on; the text's size if there is none.
size_t csec_next(const struct csec_masking *m, size_t i, enum csec_sought sought);

/// The end of a word without the full stops, commas, semicolons and ')' behind it.
size_t csec_without_clause_end(const struct csec_masking *m, size_t from, size_t to);

/// The end of a value without quotes.
size_t csec_plain_value_end(const struct csec_masking *m, size_t i);

/// The end of what a quote opened just before `i`, with as many backslashes before it as that one has.
size_t csec_quoted_end(const struct csec_masking *m, size_t i, char quote, size_t escapes);

/// Behind the "://" or ":\/\/" that begins at `i`; 0 if there is none.
size_t csec_url_start(const struct csec_masking *m, size_t i);

/// At a URL's ':', and at an '@': masks a user and a password. Returns where to read on.
size_t csec_read_url(struct csec_masking *m, size_t i);
size_t csec_read_address(struct csec_masking *m, size_t i);

/// Behind the sign of a scheme and its "://": masks the whole address of a chat with a token. Returns where to read on,
/// or `start`.
size_t csec_read_chat(struct csec_masking *m, size_t sign, size_t start);

/// At ':' in percent encoding, "http%3A%2F%2Fu%3Ap%40h": masks a user and a password. Returns where to read on, or `i`.
size_t csec_read_encoded_url(struct csec_masking *m, size_t i);

/// The same at the host: remembers a token in the URL's path.
void csec_read_path(struct csec_masking *m, size_t sign, size_t host);

/// At the '-' of an option of a command: masks its value if it is a password. Returns where to read on, or `i`.
size_t csec_read_option(struct csec_masking *m, size_t i);

/// A command whose options hold passwords; NULL if there is none of this name.
const void *csec_program_named(const char *name, size_t size);

/// What an option of this program means for the password: `*from` is where it begins in the option, or 0 if it is the
/// next argument. False: the option has none.
bool csec_option_has_secret(const void *program, const char *option, size_t size, size_t *from);

/// The value of an option such as "-u": a user and a password with ':' or '%' between, and the user is no number.
bool csec_is_user_and_password(const struct csec_masking *m, size_t from, size_t to);

/// Whether an option's value says where a password is read from: "file:/k", "env:X", "stdin".
bool csec_is_source(const char *text, size_t size);

/// Whether the option's value is a user and a password: -u, -U, --user, --proxy-user. `*length` is the option's own.
bool csec_option_has_user(const char *option, size_t size, size_t *length);

static inline char csec_at(const struct csec_masking *m, size_t i) { return i < m->size ? m->text[i] : 0; }

/// The character at `i` and its size in the text, decoded if it is in percent encoding, or a quote that is written in
/// another way. 0 for bytes beyond ASCII.
static inline char csec_decoded_at(const struct csec_masking *m, size_t i, size_t *size) {
  *size = 1;
  if (i >= m->size) return 0;
  char c = m->text[i];
  size_t quote = c == '&' || c == '\\' ? csec_written_quote(m->text, m->size, i) : 0;
  if (quote > 0) {
    *size = quote;
    return '"';
  }
  if (c != '%' || i + 2 >= m->size) return c;
  int decoded = csec_percent_decoded(m->text + i);
  if (decoded < 0) return '%';
  *size = 3;
  return decoded < 0x80 ? (char)decoded : 0;
}

/// Whether a line begins at `i`, perhaps behind a colour. A text in quotes begins as a line does.
static inline bool csec_begins_line(const struct csec_masking *m, size_t i) {
  i = csec_before_gaps(m->text, i);
  bool is_written = csec_follows_written_end(m->text, i) && m->text[i - 1] != 't';
  return i == 0 || csec_ends_line(m->text[i - 1]) || csec_is_quote(m->text[i - 1]) || is_written;
}

/// Whether the line that ends at `i` goes on behind a backslash, as in a shell.
static inline bool csec_goes_on(const struct csec_masking *m, size_t i) {
  if (i > 0 && m->text[i] == '\n' && m->text[i - 1] == '\r') i--;
  return i > 0 && m->text[i - 1] == '\\';
}

/// Whether the line, or the text, ends at `i`, perhaps behind a colour.
static inline bool csec_is_line_end(const struct csec_masking *m, size_t i) {
  i = csec_behind_gaps(m->text, m->size, i);
  return i >= m->size || csec_ends_line(m->text[i]);
}

/// Behind the line end at `i`; `i` if there is none.
static inline size_t csec_next_line(const struct csec_masking *m, size_t i) {
  if (csec_at(m, i) == '\r') i++;
  return csec_at(m, i) == '\n' ? i + 1 : i;
}

/// The same, also for a line end that is written as "\\r\\n" or "\\n".
static inline size_t csec_next_shown_line(const struct csec_masking *m, size_t i) {
  size_t end = csec_begins(m->text, m->size, i, "\\r") ? i + 2 : i;
  return csec_begins(m->text, m->size, end, "\\n") ? end + 2 : csec_next_line(m, i);
}

/// Whether the text at `i` was masked before.
static inline bool csec_is_masked(const struct csec_masking *m, size_t i) {
  return csec_begins(m->text, m->size, i, CSEC_SECRET_MASK);
}

/// Behind the blanks at `i`.
static inline size_t csec_skip_blanks(const struct csec_masking *m, size_t i) {
  while (csec_is_blank(csec_at(m, i))) i++;
  return i;
}

/// The size of a blank or a gap at `i`; 0 if there is none.
static inline size_t csec_blank_size(const struct csec_masking *m, size_t i) {
  size_t length = 1;
  if (csec_is_blank(csec_at(m, i))) return length;
  return csec_gap_at(m->text, m->size, i, &length) != CSEC_NO_GAP ? length : 0;
}

static inline size_t csec_find(const struct csec_masking *m, size_t i, bool (*ends)(char)) {
  while (i < m->size && !ends(m->text[i])) i++;
  return i;
}

/// Whether the bytes are this word, in either case.
static inline bool csec_is_word(const struct csec_masking *m, size_t from, size_t to, const char *word) {
  for (; from < to && *word; from++, word++)
    if ((m->text[from] | 0x20) != *word) return false;
  return from == to && !*word;
}

static inline bool csec_is_word_of(const struct csec_masking *m, size_t from, size_t to, const char *const *words) {
  for (; *words; words++)
    if (csec_is_word(m, from, to, *words)) return true;
  return false;
}

#pragma GCC visibility pop
