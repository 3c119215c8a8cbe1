// All threads of this process: found, asked to stop, and counted. System calls only.

#include <errno.h>
#include <fcntl.h>

#include "CGround/folder_entries.h"
#include "CGround/open_file.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "threads/thread_facts.h"
#include "threads/thread_stopping.h"

// One pass over the folder. The first pass need not look for doubles.
int ck_threads_find(ck_threads *threads, int self, bool first, ck_thread_found *found_one) {
  long folder = cgr_open(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return (int)folder;
  size_t before = threads->count;
  // Those without room are met again in each pass.
  threads->omitted = 0;
  cgr_folder_entries entries;
  cgr_folder_entries_begin(&entries, (int)folder);
  for (const char *digits; (digits = cgr_folder_entries_next(&entries)) != NULL;) {
    int tid = (int)cgr_parse_number(&digits, digits + 12, 10);
    if (tid <= 0 || tid == self || (!first && ck_thread_with_id(threads, tid))) continue;
    size_t index = threads->count;
    ck_thread *thread = ck_threads_append(threads, tid);
    if (thread && found_one) found_one(index, thread);
  }
  cgr_syscall1(SYS_close, folder);
  return (int)(threads->count - before);
}

bool ck_threads_stop_all(ck_threads *threads) {
  int self = (int)cgr_thread_id();
  ck_threads_expect_answers(threads, self);
  ck_thread *own = &threads->entries[0];
  own->state = 'R';
  ck_thread_read_own_name(own->name, &own->name_size);
  // A thread found in one pass may have started another before it stopped.
  int found = ck_threads_find(threads, self, true, ck_thread_ask);
  if (found == -EMFILE) return false;
  for (int pass = 1; pass < 4 && found > 0; ++pass) found = ck_threads_find(threads, self, false, ck_thread_ask);
  return true;
}

void ck_threads_forget(void) {
  ck_threads_forget_stopping();
  ck_threads_forget_waiting();
}

size_t ck_threads_total(const ck_threads *threads) {
  size_t total = threads->count + threads->omitted;
  for (size_t i = 0; i < threads->count; ++i) total -= threads->entries[i].gone;
  return total;
}
