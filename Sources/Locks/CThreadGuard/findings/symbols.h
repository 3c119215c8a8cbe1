#pragma once
// Names of functions, for suppression rules: read from the files of the images, so that neither the loader's lock nor
// Swift code is needed. System calls only. For one thread at a time.

#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

#define CTG_SYMBOL_MAX 512

typedef struct ctg_symbol {
  uintptr_t address;
  /// As the symbol table has it, cut to what fits; empty if it is not known.
  char name[CTG_SYMBOL_MAX];
} ctg_symbol;

/// Fills in the names of addresses, which must be sorted and lie in one image. Reads the whole symbol table once.
void ctg_symbols_find(const crp_images *images, const crp_image *image, ctg_symbol *symbols, size_t count);

/// The names that a mangled Swift or C++ name is made of, "Module.Type.method" or "space::function"; empty for another
/// name. Words that Swift's mangling abbreviates are left out.
void ctg_symbol_plain_name(const char *mangled, char *plain, size_t capacity);

#pragma GCC visibility pop
