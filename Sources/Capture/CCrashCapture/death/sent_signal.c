// The target of a signal. System calls only.

#include "death/sent_signal.h"

#include <stdint.h>

#include "CProcessHooks.h"
#include "CGround/own_ids.h"
#include "CGround/procfile.h"
#include "CGround/signals.h"
#include "CGround/text.h"

/// The file has 32 numbers before the mask's end, most of them short.
#define STAT_BYTES 512
/// Behind the name, in proc(5): the state is field 3, and what is blocked is field 32.
#define FIELDS_TO_MASK 30

// The first 31 signals, as the kernel has them for the process's first thread; all blocked if it does not say.
static uint64_t blocked_by_first_thread(void) {
  char path[64], text[STAT_BYTES];
  cgr_task_path(path, (int)cgr_process_id(), "stat");
  long size = cgr_file_read(path, text, sizeof text);
  if (size <= 0) return ~0ull;
  const char *at = text + size, *end = at;
  while (at > text && *at != ')') --at;
  // One that has ended gets none.
  if (at + 2 < end && (at[2] == 'Z' || at[2] == 'X')) return ~0ull;
  for (int field = 0; at < end && field < FIELDS_TO_MASK; ++at) field += *at == ' ';
  uint64_t blocked = cgr_parse_number(&at, end, 10);
  return at < end ? blocked : ~0ull;
}

// What is sent to the process, the kernel gives to its first thread if that has it open. If it came here nevertheless,
// it was for this thread.
static bool would_have_gone_elsewhere(int signal) {
  return cgr_thread_id() != cgr_process_id() && !(blocked_by_first_thread() & CGR_SIGNAL_BIT(signal));
}

bool ck_was_sent_to_thread(int signal, const siginfo_t *info) {
  // A signal of kill is for the process, that of tgkill for a thread. Of all others, the code does not say it.
  if (info->si_code == SI_USER) return false;
  return info->si_code == SI_TKILL || cph_signal_was_queued_to_thread(info) || would_have_gone_elsewhere(signal);
}
