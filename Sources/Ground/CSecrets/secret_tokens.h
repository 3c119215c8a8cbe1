#pragma once
// Tokens with a known form, whatever text comes before them. Async-signal-safe.
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A name of its own for each line of a table.
#define CSEC_LINE_NAME(name) CSEC_PASTED(name, __LINE__)
#define CSEC_PASTED(name, line) CSEC_PASTED_NOW(name, line)
#define CSEC_PASTED_NOW(name, line) name##line

/// Where the token at `*from` ends, or `*from` if there is none. After "Bearer " and "Basic ", in either case, `*from`
/// moves to the token itself. Async-signal-safe.
size_t csec_token_end(const char *text, size_t size, size_t *from);

/// The same for what follows "Bearer", "Basic", "Negotiate", "NTLM", "GenieKey" and "SSWS" only. Async-signal-safe.
size_t csec_after_scheme(const char *text, size_t size, size_t *from);

/// The end of the characters of a token from `at` on. Async-signal-safe.
size_t csec_run_end(const char *text, size_t size, size_t at);

/// Whether the word is a UUID or a number in hexadecimal digits, as ids and hashes are. Async-signal-safe.
bool csec_is_id(const char *text, size_t from, size_t to);

/// Whether the word has at least so many characters and looks random: a UUID, or letters with digits between them.
/// '-' and '_' may stand inside, and nothing else. Async-signal-safe.
bool csec_is_random(const char *text, size_t from, size_t to, size_t least);

/// Whether the word looks random, or is base64, and is so long that few other values are. Async-signal-safe.
bool csec_is_long_random(const char *text, size_t from, size_t to);

/// Where a bot's token ends, whose ':' is at `colon`: "123456789:AA…", or "123456:…" behind "bot". `colon` if there is
/// none. `*from` is where it may begin at the earliest, and becomes where it does. Async-signal-safe.
size_t csec_bot_token_end(const char *text, size_t size, size_t *from, size_t colon);

/// Where a password's hash ends that begins at `at`, as crypt(3), LDAP and frameworks write it; `at` if there is none.
/// Async-signal-safe.
size_t csec_hash_end(const char *text, size_t size, size_t at);

/// Where a private key in PEM ends that is in base64 once more; `at` if there is none. Async-signal-safe.
size_t csec_encoded_key_end(const char *text, size_t size, size_t at);

/// Where the private lines of PuTTY's key end; `*from` moves behind "Private-Lines: ". `*from` if there are none.
/// Async-signal-safe.
size_t csec_putty_end(const char *text, size_t size, size_t *from);

/// Where the password ends that follows SMTP's "334 UGFzc3dvcmQ6" on the next line; `*from` moves to it. `*from` if
/// there is none. Async-signal-safe.
size_t csec_smtp_end(const char *text, size_t size, size_t *from);

/// Where one of Azure's keys with a checksum ends that begins at `at`; `at` if there is none. Async-signal-safe.
size_t csec_azure_end(const char *text, size_t size, size_t at);

/// Where a token ends that has its mark inside, and the mark is at `at`: Terraform, Mailchimp and Entra. `at` if there
/// is none. `*from` is where it may begin at the earliest, and becomes where it does. Async-signal-safe.
size_t csec_marked_token_end(const char *text, size_t size, size_t *from, size_t at);

/// Where a private key without its "BEGIN" starts that ends at `at`: no earlier than `kept`. Async-signal-safe.
size_t csec_key_tail(const char *text, size_t kept, size_t at);

/// Where "-----END … PRIVATE KEY-----" ends, which begins at `at`; `at` if it does not. Async-signal-safe.
size_t csec_tail_end(const char *text, size_t size, size_t at);

#pragma GCC visibility pop
