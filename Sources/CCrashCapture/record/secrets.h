#pragma once
// Which keys look as if their values were secrets.
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

#define CK_SECRET_MASK "***"

/// How sure it is that a key's value is a secret, which decides how much a text must look like one after it.
enum ck_secrecy {
  CK_NOT_SECRET,
  CK_SECRET_WORD,    // a short word that means other things too: pass, auth, sid
  CK_SECRET_TOKEN,   // parsers have tokens as well
  CK_SECRET_NAME,    // password, API key, credential
  CK_SECRET_HEADER,  // authorization, cookie: all the rest of the line is a secret
};

/// The strongest reason for which the key's value has to be masked. Case, '-', '_', '.' and the like do not count:
/// "API-Key", "apiKey" and "api_key" are one. Names such as password, secret, token, authorization, cookie, API key,
/// credential, private key and session id are found anywhere in the key ("x-csrf-token", "dbPassword"); pw, pwd, pass
/// and many kinds of keys at the end of a word ("BINDPW", "SSHPASS", "MASTER_KEY"); short ones such as auth, sid, jwt,
/// pat, sk and dsn only as a whole word. "tokenizer", "secretary", "author", "compass", "PATH" and "PWD" are none. If in
/// doubt, a value is masked. Async-signal-safe.
enum ck_secrecy ck_key_secrecy(const char *key, size_t length);

/// Whether a key's value has to be masked. Async-signal-safe.
bool ck_key_is_secret(const char *key, size_t length);

#pragma GCC visibility pop
