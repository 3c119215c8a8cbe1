#pragma once
// Attributes: the program's own keys and values, one table for the process, part of every report.
#include <stddef.h>
#include <stdint.h>

#include "record_types.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ck_attribute_result : uint8_t {
  CK_ATTRIBUTE_SET = 0,
  CK_ATTRIBUTE_FULL = 1,    // all slots hold other keys
  CK_ATTRIBUTE_BUSY = 2,    // the table could not be had within a second
  CK_ATTRIBUTE_NO_KEY = 3,  // the key is empty
} ck_attribute_result;

/// Sets an attribute, or removes it when `value` is NULL. The value of a key that looks like a secret becomes "***".
/// From any thread; writers take turns, so not from a signal handler. Does not allocate.
ck_attribute_result ck_attribute_set(const char *key, size_t key_length, const char *value, size_t value_length);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
