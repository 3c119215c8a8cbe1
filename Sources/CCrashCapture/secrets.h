#pragma once
// Which keys look as if their values were secrets.
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

#define CK_SECRET_MASK "***"

/// Whether a key's value has to be masked. Case, '-', '_', '.' and the like do not count: "API-Key", "apiKey" and "api_key"
/// are one. Names such as password, secret, token, authorization, cookie, API key, credential, private key and session id are
/// found anywhere in the key ("x-csrf-token", "dbPassword"); short ones such as auth, pwd, sid, jwt only as a whole word of
/// it. "tokenizer", "secretary" and "author" are none. Where in doubt a value is masked. Async-signal-safe.
bool ck_key_is_secret(const char *key, size_t length);

#pragma GCC visibility pop
