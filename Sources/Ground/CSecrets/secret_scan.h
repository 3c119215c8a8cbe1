#pragma once
// Finds secrets in a text and masks them. Async-signal-safe.
#include "secret_masking.h"
#include "secret_tokens.h"

#pragma GCC visibility push(hidden)

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

/// How secret the value of the last key is; and the same with what the sign behind it, '=' or ':', says of the key.
enum csec_secrecy csec_last_key_secrecy(const struct csec_masking *m);
enum csec_secrecy csec_pair_secrecy(struct csec_masking *m, char sign);

/// At a sign: the word before it is the key if it means a password in another language, or looks like a secret's key.
void csec_take_foreign_key(struct csec_masking *m, size_t i);

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

/// Behind the last key, or behind the sign of a pair: masks the password of "login bob / x1" and "user/pass: bob/x1",
/// and the value of "LOGIN=bob:x1". Returns where to read on, or `i`.
size_t csec_read_login(struct csec_masking *m, size_t i, bool has_sign);

/// Whether a key's last word is "login", as in "DB_LOGIN".
bool csec_is_login(const struct csec_masking *m, size_t start, size_t end);

/// Whether the value of such a key is a user and a password, "bob:x1", and neither a time nor an address.
bool csec_is_login_value(const struct csec_masking *m, size_t from, size_t to);

/// At '[' behind a key: masks a value in brackets, "passwd[x1]". Returns where to read on, or `i`.
size_t csec_read_brackets(struct csec_masking *m, size_t i);

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

/// Whether the value of an attribute that is named as a session looks like the id of one: "7f3a9c1e", not "checkout-2".
bool csec_is_session_id(const struct csec_masking *m, size_t from, size_t to);

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

/// Whether an argument of this program is a user and a password of Oracle: "scott/tiger@orcl".
bool csec_program_takes_login(const void *program);

/// The '@' behind such a user and password from `from` to `to`, of which neither is empty; `from` if there are none.
size_t csec_login_end(const char *text, size_t from, size_t to);

/// What an option of this program means for the password: `*from` is where it begins in the option, or 0 if it is the
/// next argument. False: the option has none.
bool csec_option_has_secret(const void *program, const char *option, size_t size, size_t *from);

/// The value of an option such as "-u": a user and a password with ':' or '%' between, and the user is no number.
bool csec_is_user_and_password(const struct csec_masking *m, size_t from, size_t to);

/// Whether an option's value says where a password is read from: "file:/k", "env:X", "stdin".
bool csec_is_source(const char *text, size_t size);

/// Whether the option's value is a user and a password: -u, -U, --user, --proxy-user. `*length` is the option's own.
bool csec_option_has_user(const char *option, size_t size, size_t *length);

#pragma GCC visibility pop
