// Installing: everything that the handler needs is made here, once, outside any handler.

#include "install.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CGround/look_up.h"
#include "CProcessHooks.h"
#include "breadcrumbs.h"
#include "threads/capture_stack.h"
#include "threads/waits.h"
#include "CReportParts/crash_capture.h"
#include "CRendezvous/rendezvous.h"
#include "CGround/descriptors.h"
#include "CGround/environment.h"
#include "CReportParts/directory.h"
#include "death/handler.h"
#include "CReportParts/harmless.h"
#include "CReportParts/journal_socket.h"
#include "CReportParts/origin.h"
#include "death/look_away.h"
#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "report/message.h"
#include "install/options.h"
#include "live/leaked_continuation.h"
#include "live/live_report.h"
#include "CGround/program_path.h"
#include "surroundings/guarded_memory.h"
#include "record/region_file.h"
#include "report/report.h"
#include "report/report_folder.h"
#include "record/ring_files.h"
#include "processor/settings.h"
#include "report/spare_file.h"
#include "report/spare_request.h"
#include "stack/swift_async.h"
#include "tasks/swift_task.h"
#include "tasks/writable_memory.h"
#include "throws/throw_hooks.h"
#include "throws/throw_table.h"

static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static bool installed;
static char report_directory[400];

static void on_thread_start(void) { cph_signal_stack_attach(); }

static void on_thread_end(void) {
  ck_throws_end_thread();
  cph_signal_stack_detach();
}

static const crv_thread_observer thread_observer = {.started = on_thread_start, .ended = on_thread_end};

static void copy(char *out, size_t capacity, const char *text) {
  if (text) snprintf(out, capacity, "%s", text);
}

// The memory of a report: pages come into being when a handler writes them. What runs off a stack nearby meets a guard.
static ck_report *set_aside(void) {
  size_t size = (sizeof(ck_report) + CGR_GUARD_BYTES - 1) / CGR_GUARD_BYTES * CGR_GUARD_BYTES;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  uint8_t *memory = mmap(NULL, CGR_GUARD_BYTES + size + CGR_GUARD_BYTES, PROT_NONE, flags, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + CGR_GUARD_BYTES, size, PROT_READ | PROT_WRITE) != 0) return NULL;
  return (ck_report *)(memory + CGR_GUARD_BYTES);
}

// A function that exit runs may still crash.
static void note_end(int status, bool at_once) {
  ck_region_note_exit(status, at_once);
  if (at_once) ck_spare_remove();
}

// A clean exit leaves nothing to report; a failure to back the ring by a file leaves it in memory.
static void attach_region(const ck_configuration *configuration, int directory, const char *path) {
  ck_region_set_application(configuration->application_name, configuration->application_version,
                            configuration->application_build);
  if (cgr_environment("SWT_EXIT_TEST_ID")) ck_region_note_exit_test();
  if (directory < 0) return;
  if (ck_region_attach(directory, path, CK_RING_DEFAULT_SIZE) == 0) {
    atexit(ck_region_remove_file);
    cph_observe_ends(note_end);
  }
  ck_ring_files_prune(directory);
}

// The folder, or -1. A preloaded program that gave up its user before its own start cannot open the folder that
// `crashsym run` watches. It gets a file there, and nothing is left in another folder, where no one would look.
static int open_directory(const ck_configuration *configuration, const char *name, ck_installation *installation) {
  int directory =
      crp_directory_open(configuration->directory, name, installation->directory, sizeof installation->directory,
                         installation->warning, sizeof installation->warning);
  const char *wanted = cgr_environment("CRASHKIT_DIRECTORY");
  if (!configuration->is_preloaded || !wanted || !installation->warning[0]) return directory;
  char spare[64];
  int file = ck_spare_request(spare, sizeof spare);
  if (file < 0 || !ck_spare_adopt(file, spare)) return directory;
  if (directory >= 0) close(directory);
  copy(installation->directory, sizeof installation->directory, wanted);
  installation->warning[0] = 0;
  return -1;
}

static void prepare_spare(int directory) {
  if (directory < 0) return;
  ck_spares_prune(directory);
  atexit(ck_spare_remove);
  cph_observe_privileges(ck_spare_make);
}

static void in_forked_child(void) {
  cph_stack_memory_after_fork();
  cph_signals_after_fork();
  ck_throws_after_fork();
}

// If a program was started without its standard streams, what is opened here must not stand in for them; libunwind
// keeps a pipe for itself.
static void occupy_standard_streams(int occupied[3]) {
  for (int i = 0; i < 3; ++i) {
    occupied[i] = -1;
    if (fcntl(i, F_GETFD) >= 0) continue;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd > 2) close(fd);
    if (fd >= 0 && fd <= 2) occupied[i] = fd;
  }
}

static void leave_standard_streams(const int occupied[3]) {
  for (int i = 0; i < 3; ++i)
    if (occupied[i] >= 0) close(occupied[i]);
}

static void note_missing_guard(ck_installation *installation) {
  if (ck_current_settings.guard == 0 || ck_memory_is_guarded() || installation->mistakes[0]) return;
  copy(installation->mistakes, sizeof installation->mistakes,
       "CRASHKIT_OPTIONS: this program has no guard: link CrashKitGuard into it, or start it by crashsym run");
}

static void install(const ck_configuration *configuration, ck_installation *installation) {
  ck_settings *settings = &ck_current_settings;
  ck_options_read(settings, configuration->keeps_throws, installation->mistakes, sizeof installation->mistakes);
  if (!settings->enabled) {
    installation->result = CK_SWITCHED_OFF;
    return;
  }
  // A preloaded copy of this code steps aside: one crash, one report.
  void (*step_aside)(void) = (void (*)(void))cgr_look_up(RTLD_DEFAULT, RENDEZVOUS_CRASHKIT_STEP_ASIDE);
  if (step_aside && !configuration->is_preloaded) step_aside();

  cgr_program_name(settings->process_name, sizeof settings->process_name);
  copy(settings->application_name, sizeof settings->application_name, configuration->application_name);
  copy(settings->application_version, sizeof settings->application_version, configuration->application_version);
  copy(settings->application_build, sizeof settings->application_build, configuration->application_build);

  ck_report *report = set_aside();
  if (!report || !ck_capture_stack_prepare()) {
    installation->result = CK_FAILED;
    installation->error = errno;
    return;
  }
  const char *name = settings->application_name[0] ? settings->application_name : settings->process_name;
  int directory = open_directory(configuration, name, installation);
  settings->has_directory = directory >= 0;
  copy(report_directory, sizeof report_directory, installation->directory);
  attach_region(configuration, directory, installation->directory);
  prepare_spare(directory);
  // Closes the descriptor.
  ck_folder_prepare(directory, installation->directory);

  if (settings->journal) crp_journal_prepare();
  crp_origin_prepare();
  cgr_own_process_note();
  cgr_memory_prepare();
  crp_images_prepare(&report->images);
  ck_message_prepare();
  ck_swift_task_prepare();
  ck_memory_walk_prepare();
  ck_guarded_memory_prepare();
  note_missing_guard(installation);
  ck_waits_prepare(&report->images);
  cph_signal_stacks_prepare();
  cph_signal_stack_attach();
  pthread_atfork(NULL, NULL, in_forked_child);
  ck_live_watch_forks();
  cph_observe_continuation_leaks(ck_leaked_continuation);
  cph_observe_threads(&thread_observer);
  ck_swift_async_prepare(&report->images);
  ck_unwind_prepare(&report->images);
  cph_filters_begin();
  int error = ck_handlers_install(report);
  ck_unwind_learn_signal_return();
  if (settings->thrown && error == 0) ck_throw_hooks_install();
  installation->result = error == 0 ? CK_INSTALLED : CK_FAILED;
  installation->error = error;
}

static void record_finding(const char *message, size_t length, const char *category, bool is_error) {
  ck_breadcrumb_record(message, length, category, strlen(category), is_error ? CK_ERROR : CK_WARNING, NULL);
}

// ThreadGuard's preload library has a table of its own.
static void (*adopt)(const crp_crash_capture *);

static void lend(void) {
  static crp_crash_capture capture;
  capture = (crp_crash_capture){
      .version = CRP_CRASH_CAPTURE_VERSION,
      .directory = report_directory[0] ? report_directory : NULL,
      .application_name = ck_current_settings.application_name,
      .application_version = ck_current_settings.application_version,
      .application_build = ck_current_settings.application_build,
      .record = record_finding,
      .add_section_provider = cph_add_section_provider,
  };
  crp_crash_capture_lend(&capture);
  adopt = (void (*)(const crp_crash_capture *))cgr_look_up(RTLD_DEFAULT, RENDEZVOUS_THREADGUARD_ADOPT);
  if (adopt) adopt(&capture);
}

// Names of folders and what the environment holds stand in it.
static void warn(const char *warning) {
  if (!warning[0]) return;
  char bytes[sizeof(((ck_installation *)NULL)->mistakes) + 32];
  cgr_text text = CGR_TEXT(bytes);
  cgr_text_string(&text, "CrashKit[");
  cgr_text_decimal(&text, getpid());
  cgr_text_string(&text, "]: ");
  crp_text_harmless(&text, warning, strlen(warning));
  cgr_text_string(&text, "\n");
  cgr_print("CrashKit", text.bytes, text.size);
}

void ck_install(const ck_configuration *configuration, ck_installation *installation) {
  ck_look_away_prepare();
  ck_look_away(1);
  memset(installation, 0, sizeof *installation);
  pthread_mutex_lock(&installing);
  if (installed) {
    installation->result = CK_ALREADY_INSTALLED;
  } else {
    cgr_standard_error_prepare();
    cgr_guard_library_end();
    int occupied[3];
    occupy_standard_streams(occupied);
    install(configuration, installation);
    leave_standard_streams(occupied);
    installed = installation->result == CK_INSTALLED;
    if (installed) lend();
  }
  pthread_mutex_unlock(&installing);
  ck_look_away(-1);
  warn(installation->mistakes);
  warn(installation->warning);
}

const char *ck_report_directory(void) {
  pthread_mutex_lock(&installing);
  const char *path = report_directory[0] ? report_directory : NULL;
  pthread_mutex_unlock(&installing);
  return path;
}

bool ck_say(const char *line, size_t length) {
  return ck_current_settings.summary && cgr_print("CrashKit", line, length) == 0;
}

void ck_uninstall(void) {
  pthread_mutex_lock(&installing);
  if (installed) {
    ck_handlers_remove();
    cph_signal_stacks_retire();
    // The other copy reports its death.
    cph_observe_ends(NULL);
    cph_observe_privileges(NULL);
    cph_observe_continuation_leaks(NULL);
    ck_throw_hooks_remove();
    ck_region_remove_file();
    ck_spare_remove();
  }
  crp_crash_capture_lend(NULL);
  if (adopt) adopt(NULL);
  installed = false;
  pthread_mutex_unlock(&installing);
}
