#pragma once
// The decisions of install, which the handler reads. They are written once, before any of CrashKit's handlers is
// installed.

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum ck_chain_mode { CK_CHAIN_AUTO, CK_CHAIN_YES, CK_CHAIN_NO } ck_chain_mode;

typedef struct ck_settings {
  bool enabled;
  bool summary;
  bool numbered_output;
  bool json_line;  // of a crash, on standard error
  bool journal;    // a record of a crash in systemd's journal
  bool registers;  // registers of the crashed thread, and the memory at them
  bool tasks;      // all Swift tasks that live
  bool thrown;     // the last errors that were thrown
  bool arguments;
  bool environment;
  ck_chain_mode chain;
  uint32_t guard;  // 1 allocation in so many is to be guarded; 0 for none
  int on_signal;   // prints all threads and tasks; 0 for none
  bool has_directory;
  char application_name[128];
  char application_version[64];
  char application_build[64];
  char process_name[64];
} ck_settings;

extern ck_settings ck_current_settings;

#pragma GCC visibility pop
