#pragma once
// Decides which keys probably have secret values.
#include "CSecrets.h"

#pragma GCC visibility push(hidden)

/// How sure it is that a key's value is a secret, which decides how much a text must look like one after it.
enum csec_secrecy {
  CSEC_NOT_SECRET,
  CSEC_SECRET_RARELY,   // ROUTING_KEY, which sorts elsewhere: only a long value that looks random is one
  CSEC_PERHAPS_SECRET,  // a header such as Vendor-Key: only a value that looks random is one
  CSEC_SECRET_WORD,     // a short word that means other things too: pass, auth, sid
  CSEC_SECRET_TOKEN,    // parsers have tokens as well
  CSEC_SECRET_NAME,     // password, API key, credential
  CSEC_SECRET_HEADER,   // authorization, cookie: all the rest of the line is a secret
};

/// The strongest reason for which the key's value has to be masked, by secret_keys.def. "tokenizer", "secretary",
/// "compass", "PATH" and "PWD" are no secrets. Async-signal-safe.
enum csec_secrecy csec_key_secrecy(const char *key, size_t length);

/// The size of the word for a password in another language that the text ends in, by secret_foreign.def; 0: there is
/// none. Async-signal-safe.
size_t csec_foreign_key_size(const char *text, size_t size);

/// The Latin letter that the Greek or Cyrillic one at `i` looks like, as the а of "pаssword", and its size in the text.
/// 0 if there is no such letter. Async-signal-safe.
char csec_lookalike_at(const char *text, size_t size, size_t i, size_t *length);

/// Whether a key has such a letter, and a Latin one beside it. Async-signal-safe.
bool csec_has_lookalike(const char *key, size_t length);

/// Whether a pair is one of the shell's folders: "PWD=/srv". ODBC's "PWD=x" is a password. Async-signal-safe.
bool csec_is_shell_folder(const char *key, size_t length, char first);

#pragma GCC visibility pop
