#pragma once
// Credentials in keys, texts, arguments and the environment: a report shows them as "***". The crash handler and
// crashsym use the same functions. Nothing here allocates, locks or calls libc.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

#define CSEC_SECRET_MASK "***"

/// The limit of the text that is kept. With the "…" behind it is as long as the longest string of a report.
#define CSEC_SECRET_TEXT_MAX 4093

/// So much more is looked at: the end of a credential shows that its beginning is one.
#define CSEC_SECRET_BEYOND 1024

typedef struct csec_safe_text {
  const char *bytes;
  size_t size;
} csec_safe_text;

/// Whether a key's value has to be masked, by secret_keys.def. Case, '-', '_', '.' and percent encoding do not count:
/// "API-Key", "apiKey" and "api%5Fkey" are one. Async-signal-safe.
bool csec_key_is_secret(const char *key, size_t length);

/// The same for an attribute of a report or of a breadcrumb, whose value is at hand: a signature, a nonce and the like
/// are secrets if their value is long and looks random, and a session if it looks random. Async-signal-safe.
bool csec_attribute_is_secret(const char *key, size_t length, const char *value, size_t size);

/// The same for an environment variable: KEY, PIN, SALT and SESSION alone are secrets there too. If the name only
/// speaks of a secret, such as AUTH_SERVICE_HOST, a value that is plainly none is shown: an address, a path, a state.
/// Async-signal-safe.
bool csec_variable_is_secret(const char *name, size_t length, const char *value, size_t size);

/// False if the text holds none of the marks that every credential has, as most breadcrumbs do. Async-signal-safe.
bool csec_may_hold_secret(const char *text, size_t size);

/// The text with each credential replaced by "***". It is the text itself if it holds none, else a copy in `room`, cut
/// if the room ends. A text beyond CSEC_SECRET_TEXT_MAX is cut there, and ends in "…". A text that was cut before must
/// have CSEC_SECRET_BEYOND bytes more than that. The time is linear in the text's length. Async-signal-safe.
csec_safe_text csec_without_secrets(const char *text, size_t size, char *room, size_t capacity);

/// The longest text that csec_copy_without_secrets writes.
#define CSEC_COPY_MAX 512

/// Copies a text without its credentials. What then does not fit into `bound` bytes, at most CSEC_COPY_MAX, is cut at a
/// whole UTF-8 character and ends in "…". Returns the bytes written. Async-signal-safe.
size_t csec_copy_without_secrets(char *to, const char *text, size_t size, size_t bound);

/// csec_without_secrets for a text of any length; for crashsym. `room` holds at least four times the text.
/// Async-signal-safe.
csec_safe_text csec_whole_without_secrets(const char *text, size_t size, char *room, size_t capacity);

/// Sets a mark for each byte of a text that belongs to a credential, and clears the others. There is one mark for each
/// byte. Async-signal-safe.
void csec_mark_secrets(const char *text, size_t size, bool *marks);

/// What is looked at before and behind bytes of memory: a credential is known by the text around it.
enum { CSEC_MEMORY_BEFORE = 128, CSEC_MEMORY_BEHIND = 256 };

/// The same for memory: each text between other bytes counts alone. Async-signal-safe.
void csec_mark_secrets_in_memory(const char *bytes, size_t size, bool *marks);

/// The name of a function, or a path, without its credentials; for crashsym. "login(password: String)" has a label and
/// "Auth.swift:12" a line, so pairs count for nothing here: only tokens that are known by their looks, private keys,
/// and users and passwords of URLs are replaced. `room` holds at least four times the text. Async-signal-safe.
csec_safe_text csec_name_without_secrets(const char *text, size_t size, char *room, size_t capacity);

/// What the arguments so far say about the next one. Start with zeros.
typedef struct csec_arguments {
  const void *program;
  uint8_t next;
} csec_arguments;

/// The same for an argument of a program, in their order. After a secret's key all of it is replaced. So is the value
/// of an option such as "--token", or of "-p" after "sshpass". Async-signal-safe.
csec_safe_text csec_argument_without_secrets(const char *argument, size_t size, csec_arguments *arguments, char *room,
                                             size_t capacity);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
