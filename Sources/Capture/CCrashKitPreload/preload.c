// The preload library: CrashKit for programs that do not link it. Installs as the library is loaded.

#include "CCrashKitPreload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CCrashCapture.h"
#include "CReportParts/crash_capture.h"

// `crashsym run` names the process that it started, so that children go unobserved unless they are asked for.
static int is_wanted(void) {
  const char *wanted = getenv("CRASHKIT_RUN");
  if (!wanted || strcmp(wanted, "follow") == 0) return 1;
  return strtol(wanted, NULL, 10) == (long)getpid();
}

__attribute__((constructor)) static void start(void) {
  if (!is_wanted()) return;
  ck_configuration configuration = {.is_preloaded = true};
  ck_installation installation;
  ck_install(&configuration, &installation);
}

void crashkit_preload_step_aside(void) { ck_uninstall(); }

void crashkit_preload_lend_to(void (*adopt)(const crp_crash_capture *capture)) {
  const crp_crash_capture *capture = crp_crash_capture_lent();
  if (capture) adopt(capture);
}
