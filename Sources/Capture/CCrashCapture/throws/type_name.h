#pragma once
// The name of a Swift type, from its metadata. Reads that cannot fault.

#include <stdint.h>

#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Writes the name of the type with this metadata, such as `Store.LoadError`, without generic arguments. Writes nothing
/// for a type that is no struct, enum or class. Async-signal-safe.
void ck_type_name_write(uint64_t metadata, cgr_text *text);

/// The same of the class of an object with this first word, in memory of `size` bytes. Writes nothing if that is no
/// object of a Swift class. Async-signal-safe.
void ck_object_type_write(uint64_t first_word, uint64_t size, cgr_text *text);

#pragma GCC visibility pop
