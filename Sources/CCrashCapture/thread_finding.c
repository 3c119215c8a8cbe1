// Finding the threads of this process, and what /proc says of each. System calls only.

#include <errno.h>
#include <fcntl.h>

#include "memory.h"
#include "procfile.h"
#include "prologue.h"
#include "syscalls.h"
#include "text.h"
#include "thread_stopping.h"

// The kernel escapes newlines and backslashes of a name.
static void read_name(ck_thread *thread, const char *at, const char *end) {
  thread->name_size = 0;
  for (; at < end && thread->name_size < sizeof thread->name; ++at) {
    char c = *at;
    if (c == '\\' && at + 1 < end) c = *++at == 'n' ? '\n' : *at;
    thread->name[thread->name_size++] = c;
  }
}

void ck_thread_read_status(ck_thread *thread) {
  char path[64];
  ck_task_path(path, thread->tid, "status");
  char buffer[2048];
  long size = ck_file_read(path, buffer, sizeof buffer);
  if (size <= 0) return;
  const char *end = buffer + size;
  for (const char *line = buffer; line < end;) {
    const char *next = line;
    while (next < end && *next != '\n') ++next;
    if (ck_starts_with(line, "Name:\t")) {
      read_name(thread, line + 6, next);
    } else if (ck_starts_with(line, "State:\t")) {
      thread->state = line[7];
    } else if (ck_starts_with(line, "SigBlk:\t")) {
      const char *at = line + 8;
      thread->blocked = ck_parse_number(&at, next, 16);
      return;
    }
    line = next + 1;
  }
}

bool ck_thread_is_gone(ck_thread *thread) {
  int process = (int)ck_syscall0(SYS_getpid);
  if (thread->gone || thread->tid == process) return thread->gone;
  bool ended = thread->state == 'Z' || thread->state == 'X';
  thread->gone = ended || ck_syscall3(SYS_tgkill, process, thread->tid, 0) == -ESRCH;
  return thread->gone;
}

size_t ck_threads_total(const ck_threads *threads) {
  size_t total = threads->count + threads->omitted;
  for (size_t i = 0; i < threads->count; ++i) total -= threads->entries[i].gone;
  return total;
}

static bool known(const ck_threads *threads, int tid) {
  for (size_t i = 0; i < threads->count; ++i)
    if (threads->entries[i].tid == tid) return true;
  return false;
}

static ck_thread *append(ck_threads *threads, int tid) {
  if (threads->count == CK_THREADS_MAX) {
    ++threads->omitted;
    return NULL;
  }
  ck_thread *thread = &threads->entries[threads->count];
  thread->tid = tid;
  return thread;
}

struct entry64 {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

// One pass over the folder; true where it found threads that were not known. The first pass need not look for doubles.
bool ck_threads_find(ck_threads *threads, int self, bool first, ck_thread_found *found_one) {
  long folder = ck_syscall4(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return false;
  bool found = false;
  char buffer[8192] __attribute__((aligned(8)));
  size_t before = threads->count;
  for (long size; (size = ck_syscall3(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < size;) {
      const struct entry64 *entry = (const struct entry64 *)(buffer + at);
      at += entry->size;
      const char *digits = entry->name;
      int tid = (int)ck_parse_number(&digits, digits + 12, 10);
      if (tid <= 0 || tid == self || (!first && known(threads, tid))) continue;
      size_t index = threads->count;
      ck_thread *thread = append(threads, tid);
      if (!thread) continue;
      ++threads->count;
      if (found_one) found_one(index, thread);
      found = true;
    }
  }
  ck_syscall1(SYS_close, folder);
  return found && threads->count > before;
}

void ck_threads_stop_all(ck_threads *threads) {
  int self = (int)ck_syscall0(SYS_gettid);
  threads->count = threads->omitted = 0;
  ck_threads_expect_answers(threads, self);
  ck_thread *own = append(threads, self);
  threads->count = 1;
  own->state = 'R';
  ck_thread_read_own_name(own->name, &own->name_size);
  // A thread found in one pass may have started another before it stopped.
  bool first = true;
  for (int pass = 0; pass < 4 && ck_threads_find(threads, self, first, ck_thread_ask); ++pass) first = false;
}

// "number arguments… stack-pointer program-counter", or "-1 stack-pointer program-counter", or "running".
bool ck_thread_read_syscall(ck_thread *thread) {
  int open = CK_ANSWER_NONE;
  if (thread->captured_by == CK_BY_PROC_SYSCALL) return true;
  char path[64];
  ck_task_path(path, thread->tid, "syscall");
  char buffer[256];
  long size = ck_file_read(path, buffer, sizeof buffer);
  if (size <= 0 || buffer[0] == 'r') return false;
  const char *end = buffer + size;
  const char *words[9] = {NULL};
  size_t count = 0;
  for (const char *at = buffer; at < end && count < 9;) {
    words[count++] = at;
    while (at < end && *at != ' ' && *at != '\n') ++at;
    while (at < end && (*at == ' ' || *at == '\n')) ++at;
  }
  if (count < 3 || !ck_starts_with(words[count - 2], "0x") || !ck_starts_with(words[count - 1], "0x")) return false;
  const char *sp = words[count - 2] + 2, *pc = words[count - 1] + 2;
  if (!atomic_compare_exchange_strong(&thread->answer, &open, CK_ANSWER_CLOSED)) return false;
  ck_zero(&thread->registers, sizeof thread->registers);
  // The arguments are in the registers that they were passed in: vfork keeps its return address in the first.
  static const uint8_t argument_registers[6] = CK_SYSCALL_ARGUMENTS;
  for (size_t i = 0; i < 6 && count == 9; ++i) {
    const char *digits = words[1 + i] + 2;
    thread->registers.values[argument_registers[i]] = ck_parse_number(&digits, end, 16);
  }
  thread->registers.values[CK_REGISTER_SP] = ck_parse_number(&sp, end, 16);
  thread->registers.values[CK_REGISTER_PC] = ck_parse_number(&pc, end, 16);
  thread->registers.values[CK_REGISTER_FP] = CK_FRAME_POINTER_UNKNOWN;
  thread->captured_by = CK_BY_PROC_SYSCALL;
  return thread->registers.values[CK_REGISTER_SP] != 0;
}
