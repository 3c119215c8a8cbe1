#pragma once
// Installing the crash handlers. Nothing here is for handlers.

#include <stdbool.h>
#include <stddef.h>

#include "CReportParts.h"

#pragma GCC visibility push(hidden)

/// What the program chooses; NULL members leave the default. The environment (CRASHKIT_DIRECTORY, CRASHKIT_OPTIONS)
/// goes before it.
typedef struct ck_configuration {
  const char *directory;
  const char *application_name;
  const char *application_version;
  const char *application_build;
  bool keeps_throws;  // the last errors that were thrown, unless CRASHKIT_OPTIONS has `thrown`
  bool is_preloaded;  // this copy steps aside for one that the program links
} ck_configuration;

typedef enum ck_install_result {
  CK_INSTALLED,
  CK_ALREADY_INSTALLED,
  CK_SWITCHED_OFF,  // CRASHKIT_OPTIONS=enable=no
  CK_FAILED,        // `error` says why
} ck_install_result;

typedef struct ck_installation {
  ck_install_result result;
  int error;            // errno, with CK_FAILED
  char directory[400];  // where reports go; empty if nothing can be written
  // Lines that the user should see; empty if there is nothing to say.
  char mistakes[896];  // in CRASHKIT_OPTIONS
  char warning[640];   // about the folder
} ck_installation;

/// Installs the handlers for SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT and SIGSYS, once in a process.
/// Thread-safe.
void ck_install(const ck_configuration *configuration, ck_installation *installation);

/// The folder of reports, with the process to its end; NULL before the installation, and where none can be written to.
/// Thread-safe.
const char *ck_report_directory(void);

/// Writes a line, its end included, to stderr with a single call, unless CRASHKIT_OPTIONS=summary=no or stderr is no
/// longer what it was. Returns whether it did. Thread-safe, after the installation.
bool ck_say(const char *line, size_t length);

/// Takes the handlers out again and the ring's file away, for another copy of this code in the process. Thread-safe.
void ck_uninstall(void);

#pragma GCC visibility pop
