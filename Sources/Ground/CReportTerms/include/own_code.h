#pragma once
// The parts of a program's stacks that belong to this package.

#pragma GCC visibility push(hidden)

/// The kinds of own_code.def.
typedef enum __attribute__((enum_extensibility(closed))) term_own {
  TERM_OWN_c_folder __attribute__((swift_name("cFolder"))),
  TERM_OWN_swift_folder __attribute__((swift_name("swiftFolder"))),
  TERM_OWN_demo_folder __attribute__((swift_name("demoFolder"))),
  TERM_OWN_module __attribute__((swift_name("module"))),
  TERM_OWN_prefix __attribute__((swift_name("prefix"))),
  TERM_OWN_guard_prefix __attribute__((swift_name("guardPrefix"))),
} term_own;

/// The name at a place among those of a kind; NULL behind the last.
const char *term_own_name(term_own kind, int place);

#pragma GCC visibility pop
