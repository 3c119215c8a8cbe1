#pragma once
// The name of a Swift type, from its metadata. Reads that cannot fault.

#include <stdint.h>

#include "CGround/text.h"

#pragma GCC visibility push(hidden)

/// Writes the name of the type with this metadata, such as `Store.LoadError`, without generic arguments. Writes nothing
/// for a type that is no struct, enum or class. Async-signal-safe.
void ck_type_name_write(uint64_t metadata, cgr_text *text);

#pragma GCC visibility pop
