// The kernel's information about one thread. System calls only.

#include "threads/thread_facts.h"

#include <errno.h>
#include <sys/prctl.h>

#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/procfile.h"
#include "stack/prologue.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

void ck_thread_read_own_name(char name[16], uint8_t *size) {
  cgr_syscall2(SYS_prctl, PR_GET_NAME, name);
  for (*size = 0; *size < 16 && name[*size];) ++*size;
}

// The kernel leaves the thread's setting in the context.
bool ck_has_no_alternate_stack(const ucontext_t *context) { return context->uc_stack.ss_flags & SS_DISABLE; }

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
  cgr_task_path(path, thread->tid, "status");
  char buffer[2048];
  long size = cgr_file_read(path, buffer, sizeof buffer);
  if (size <= 0) return;
  const char *end = buffer + size;
  for (const char *line = buffer; line < end;) {
    const char *next = line;
    while (next < end && *next != '\n') ++next;
    if (cgr_starts_with(line, "Name:\t")) {
      read_name(thread, line + 6, next);
    } else if (cgr_starts_with(line, "State:\t")) {
      thread->state = line[7];
    } else if (cgr_starts_with(line, "SigBlk:\t")) {
      const char *at = line + 8;
      thread->blocked = cgr_parse_number(&at, next, 16);
      return;
    }
    line = next + 1;
  }
}

bool ck_thread_is_gone(ck_thread *thread) {
  int process = (int)cgr_process_id();
  if (thread->gone || thread->tid == process) return thread->gone;
  bool ended = thread->state == 'Z' || thread->state == 'X';
  thread->gone = ended || cgr_syscall3(SYS_tgkill, process, thread->tid, 0) == -ESRCH;
  return thread->gone;
}

// The kernel knows where each thread's list of robust mutexes is. glibc has it in the thread's own record, as far from
// the thread pointer in each thread, and the thread's id before it: nptl/descr.h, `tid` and `robust_head`.
#define ID_BEFORE_LIST 16
#define RECORD_BYTES 8192

static uint64_t robust_list(int tid) {
  uint64_t list = 0, size = 0;
  return cgr_syscall3(SYS_get_robust_list, tid, &list, &size) == 0 ? list : 0;
}

static bool is_record_of(int tid, uint64_t list) {
  int id = 0;
  return list != 0 && cgr_memory_read(list - ID_BEFORE_LIST, &id, sizeof id) == sizeof id && id == tid;
}

uintptr_t ck_thread_pointer(int tid) {
  uintptr_t own_pointer = (uintptr_t)__builtin_thread_pointer();
  uint64_t own_list = robust_list(0), list = robust_list(tid);
  if (!is_record_of((int)cgr_thread_id(), own_list) || !is_record_of(tid, list)) return 0;
  // Before or behind it: the processors differ.
  uint64_t distance = own_list - own_pointer;
  return distance + RECORD_BYTES < 2 * RECORD_BYTES ? list - distance : 0;
}

// "number arguments… stack-pointer program-counter", or "-1 stack-pointer program-counter", or "running".
bool ck_thread_read_syscall(ck_thread *thread) {
  int open = CK_ANSWER_NONE;
  // Not `captured_by`, which the thread itself may be writing.
  if (atomic_load_explicit(&thread->answer, memory_order_relaxed) == CK_ANSWER_CLOSED) return true;
  char path[64];
  cgr_task_path(path, thread->tid, "syscall");
  char buffer[256];
  long size = cgr_file_read(path, buffer, sizeof buffer);
  if (size <= 0 || buffer[0] == 'r') return false;
  const char *end = buffer + size;
  const char *words[9] = {NULL};
  size_t count = 0;
  for (const char *at = buffer; at < end && count < 9;) {
    words[count++] = at;
    while (at < end && *at != ' ' && *at != '\n') ++at;
    while (at < end && (*at == ' ' || *at == '\n')) ++at;
  }
  if (count < 3 || !cgr_starts_with(words[count - 2], "0x") || !cgr_starts_with(words[count - 1], "0x")) return false;
  const char *sp = words[count - 2] + 2, *pc = words[count - 1] + 2;
  if (!atomic_compare_exchange_strong(&thread->answer, &open, CK_ANSWER_CLOSED)) return false;
  cgr_zero(&thread->registers, sizeof thread->registers);
  // The arguments are in the registers that they were passed in: vfork keeps its return address in the first.
  static const uint8_t argument_registers[6] = CK_SYSCALL_ARGUMENTS;
  const char *number = words[0];
  thread->in_call = count == 9;
  thread->call = thread->in_call ? (long)cgr_parse_number(&number, end, 10) : -1;
  for (size_t i = 0; i < 6 && count == 9; ++i) {
    const char *digits = words[1 + i] + 2;
    thread->registers.values[argument_registers[i]] = cgr_parse_number(&digits, end, 16);
  }
  thread->registers.values[CK_REGISTER_SP] = cgr_parse_number(&sp, end, 16);
  thread->registers.values[CK_REGISTER_PC] = cgr_parse_number(&pc, end, 16);
  thread->registers.values[CK_REGISTER_FP] = CK_FRAME_POINTER_UNKNOWN;
  thread->captured_by = CK_BY_PROC_SYSCALL;
  return thread->registers.values[CK_REGISTER_SP] != 0;
}
