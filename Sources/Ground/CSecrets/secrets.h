#pragma once
// Which keys look as if their values were secrets.
#include "CSecrets.h"

#pragma GCC visibility push(hidden)

/// How sure it is that a key's value is a secret, which decides how much a text must look like one after it.
enum ck_secrecy {
  CK_NOT_SECRET,
  CK_SECRET_WORD,    // a short word that means other things too: pass, auth, sid
  CK_SECRET_TOKEN,   // parsers have tokens as well
  CK_SECRET_NAME,    // password, API key, credential
  CK_SECRET_HEADER,  // authorization, cookie: all the rest of the line is a secret
};

/// The strongest reason for which the key's value has to be masked, by secret_keys.def. "tokenizer", "secretary",
/// "compass", "PATH" and "PWD" are no secrets. Async-signal-safe.
enum ck_secrecy ck_key_secrecy(const char *key, size_t length);

#pragma GCC visibility pop
