// Distinguishes the Swift runtime's handler from the program's.

#include "death/runtime_backtracer.h"

#include <stddef.h>

#include "CProcessHooks.h"
#include "processor/settings.h"
#include "CGround/text.h"

static void (*runtime_handler)(int, siginfo_t *, void *);

// The runtime takes these seven with one handler (swift 6.3, stdlib/public/runtime/CrashHandlerLinux.cpp), where the
// action was still the default; SIGQUIT among them is what no crash reporter of a program shares.
static const int runtime_signals[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

void ck_runtime_backtracer_prepare(const crp_images *images) {
  void (*candidate)(int, siginfo_t *, void *) = NULL;
  int matches = 0;
  for (size_t i = 0; i < sizeof runtime_signals / sizeof *runtime_signals; ++i) {
    struct sigaction action;
    if (cph_real_sigaction(runtime_signals[i], NULL, &action) != 0 || !(action.sa_flags & SA_SIGINFO)) continue;
    if (!candidate) candidate = action.sa_sigaction;
    matches += action.sa_sigaction == candidate;
  }
  if (!candidate) return;
  const crp_image *image = crp_image_at(images, (uintptr_t)candidate);
  bool in_swift_core = image && cgr_starts_with(crp_image_name(images, image), "libswiftCore.so");
  if (in_swift_core || matches == sizeof runtime_signals / sizeof *runtime_signals) runtime_handler = candidate;
}

bool ck_is_runtime_backtracer(const struct sigaction *action) {
  return runtime_handler && action->sa_flags & SA_SIGINFO && action->sa_sigaction == runtime_handler;
}

bool ck_runtime_backtracer_wanted(const struct sigaction *action, bool report_is_whole) {
  if (!ck_is_runtime_backtracer(action)) return false;
  switch (ck_current_settings.chain) {
    case CK_CHAIN_YES: return true;
    case CK_CHAIN_NO: return false;
    case CK_CHAIN_AUTO: return !report_is_whole;
  }
  return false;
}
