#pragma once
// The folder of reports. Not for handlers.

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Finds, or makes, the first directory of the documented order that can be written to, and writes its absolute path.
/// Returns a descriptor for it, or -1 if there is none, with the reason for the wanted one in `warning`.
/// `wanted` is the program's choice or NULL; `name` the application's.
int crp_directory_open(const char *wanted, const char *name, char *path, size_t path_capacity, char *warning,
                       size_t warning_capacity);

typedef struct crp_directory_choice {
  char path[PATH_MAX];
  bool is_private;   // no other user may have rights to it
  bool is_explicit;  // the program or its user named it
} crp_directory_choice;

/// The directories of the documented order, and one place more for the work on them.
typedef struct crp_directory_choices {
  size_t count;
  char name[64];
  crp_directory_choice entries[6];
} crp_directory_choices;

/// The two halves of crp_directory_open. The second allocates nothing and takes no lock. Where HOME is not set, the
/// first `asks_for_home` the services of the system, which may load libraries.
void crp_directory_choose(crp_directory_choices *choices, const char *wanted, const char *application,
                          bool asks_for_home);
int crp_directory_open_chosen(const crp_directory_choices *choices, char *path, size_t path_capacity, char *warning,
                              size_t warning_capacity);

#pragma GCC visibility pop
