#pragma once
// Locks that ThreadGuard cannot see, so that it can say so. Ordinary libc: called at exit.

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Whether the program, or a library that is not the Swift runtime's, locks a Mutex of Synchronization. With a static
/// standard library (`is_static`), whether the program contains Mutex at all.
bool ctg_uses_swift_mutex(bool is_static);

/// Names those whose locks are not libc's, of the languages and libraries in the program: "Rust's, Java's". Nothing if
/// there are none. Reads all images but the Swift runtime's.
void ctg_name_unseen_locks(char *text, size_t size);

/// Whether the program itself, which comes first of all images, holds these bytes.
bool ctg_program_holds(const void *bytes, size_t size);

#pragma GCC visibility pop
