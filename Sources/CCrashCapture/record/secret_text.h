#pragma once
// Credentials inside of texts: the values of attributes, the messages of breadcrumbs and crashes, arguments.
#include <stdbool.h>
#include <stddef.h>

#include "region_view.h"
#include "CGround/utf8.h"

#pragma GCC visibility push(hidden)

/// Only so much of a text is looked at and kept: more than any report keeps of one.
#define CK_SECRET_TEXT_MAX 4096

typedef uint8_t ck_sixteen __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t ck_two_words __attribute__((vector_size(16)));

/// Whether a text holds "Bearer", "Basic" or the beginning of a key of AWS or Google. Async-signal-safe.
bool ck_holds_capital_token(const char *text, size_t size);

/// Whether the text holds what every credential brings with it, as most texts do not: one of - . : ; < = _, or what the
/// function above finds. Async-signal-safe.
static inline bool ck_may_hold_secret(const char *text, size_t size) {
  ck_two_words marks = {0}, capitals = {0};
  // Sixteen at a time, the last ones a second time: every breadcrumb comes through here.
  for (size_t i = 0; size >= 16; i = i + 32 <= size ? i + 16 : size - 16) {
    ck_sixteen c = *(const ck_sixteen *)(const void *)(text + i);
    marks |= (ck_two_words)((c - '-' < 2) | (c - ':' < 4) | (c == '_'));
    capitals |= (ck_two_words)(c - 'A' < 2);
    if (i + 16 == size) break;
  }
  for (size_t i = 0; i < size && size < 16; i++) {
    uint8_t c = (uint8_t)text[i];
    marks[0] |= (uint8_t)(c - '-') < 2 | (uint8_t)(c - ':') < 4 | c == '_';
    capitals[0] |= (uint8_t)(c - 'A') < 2;
  }
  if (marks[0] | marks[1]) return true;
  return (capitals[0] | capitals[1]) && ck_holds_capital_token(text, size);
}

/// The text with each credential replaced by "***". It is the text itself if it holds none, else a copy in `room`, which is
/// cut if the room ends; a text beyond CK_SECRET_TEXT_MAX is cut there, and ends in "…". Credentials are:
///   - the user and the password of a URL: postgres://***@db
///   - the value after a key that looks like a secret: password=***, "token": "***", Authorization: ***
///   - a token after "Bearer" or "Basic", tokens of known services (ghp_…, AKIA…, JWT), private keys in PEM
/// Async-signal-safe.
ck_slice ck_without_secrets(const char *text, size_t size, char *room, size_t capacity);

/// The same for an argument of a program: behind a secret's key all of it is replaced. `is_next` carries from one argument
/// to the next that it is the value of an option such as "--token". Async-signal-safe.
ck_slice ck_argument_without_secrets(const char *argument, size_t size, bool *is_next, char *room, size_t capacity);

#pragma GCC visibility pop
