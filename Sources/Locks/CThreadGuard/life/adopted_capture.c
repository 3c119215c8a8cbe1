// Uses the crash capture of another library in the same process. Ordinary libc, at the start.

#include "life/adopted_capture.h"

#include <dlfcn.h>

#include "CGround/look_up.h"
#include "CRendezvous/rendezvous.h"
#include "life/lock_sections.h"

void ctg_capture_adopt(const crp_crash_capture *capture) {
  if (capture && capture->version != CRP_CRASH_CAPTURE_VERSION) return;
  crp_crash_capture_lend(capture);
  if (capture) ctg_lock_sections_add(capture->add_section_provider);
}

void ctg_capture_find_preloaded(void) {
  void (*lend_to)(void (*)(const crp_crash_capture *)) =
      (void (*)(void (*)(const crp_crash_capture *)))cgr_look_up(RTLD_DEFAULT, RENDEZVOUS_CRASHKIT_LEND_TO);
  if (lend_to) lend_to(ctg_capture_adopt);
}
