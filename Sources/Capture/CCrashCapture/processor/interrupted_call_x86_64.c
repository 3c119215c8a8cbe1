// x86-64: the result replaces the call's number, and all arguments stay. The number is read from the instructions
// before the call. System calls and cgr_memory_read only.
#if defined(__x86_64__)

#include "processor/interrupted_call.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "processor/registers.h"
#include "CGround/kernel_action.h"
#include "CGround/memory.h"
#include "CGround/signals.h"
#include "CGround/syscalls.h"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

// Calls that have done nothing when they answer EINTR. Not close: its descriptor is gone by then.
static bool may_be_made_again(long number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_futex:
    case SYS_futex_waitv:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter: return true;
    default: return false;
  }
}

#define CODE_BYTES 64

// --- Instructions ----------------------------------------------------------------------------------------------

enum { EAX = 0, EDI = 7 };

// Length of an instruction that only moves or computes between registers and memory and does not touch `kept`; 0 for
// any other. Enough for what compilers put between the load of a number and the call.
static size_t step_over(const uint8_t *code, size_t left, int kept) {
  size_t at = 0;
  uint8_t rex = 0;
  if (at < left && (code[at] & 0xf0) == 0x40) rex = code[at++];
  if (at >= left) return 0;
  uint8_t op = code[at++];
  if (op >= 0xb8 && op <= 0xbf) {  // mov imm, reg
    int to = (op & 7) | (rex & 1 ? 8 : 0);
    return to == kept || rex & 8 ? 0 : at + 4;
  }
  if (op >= 0x50 && op <= 0x57) return at;                         // push reg
  if (op == 0x6a || op == 0x68) return at + (op == 0x6a ? 1 : 4);  // push imm
  if (op == 0xb0 && rex == 0) return kept == EAX ? 0 : at + 1;     // mov imm, al: how many vector registers
  bool to_modrm = false;
  size_t immediate = 0;
  if (op == 0x0f) {
    if (at >= left || (code[at] & 0xf0) != 0x40) return 0;  // cmov
    ++at;
  } else {
    switch (op) {
      case 0x01:
      case 0x09:
      case 0x21:
      case 0x29:
      case 0x31:
      case 0x89: to_modrm = true; break;
      case 0x03:
      case 0x0b:
      case 0x23:
      case 0x2b:
      case 0x33:
      case 0x8b:
      case 0x8d:
      case 0x63: break;
      case 0x80:
      case 0x83:
      case 0xc1:
        to_modrm = true;
        immediate = 1;
        break;
      case 0x81:
      case 0xc7:
        to_modrm = true;
        immediate = 4;
        break;
      default: return 0;
    }
  }
  if (at >= left) return 0;
  uint8_t modrm = code[at++];
  int reg = (modrm >> 3 & 7) | (rex & 4 ? 8 : 0), rm = (modrm & 7) | (rex & 1 ? 8 : 0);
  if (modrm >> 6 == 3) {
    if ((to_modrm ? rm : reg) == kept) return 0;
  } else {
    if (!to_modrm && reg == kept) return 0;
    uint8_t base = modrm & 7;
    if (base == 4) {
      if (at >= left) return 0;
      base = code[at++] & 7;
      if (modrm >> 6 == 0 && base == 5) at += 4;
    } else if (modrm >> 6 == 0 && base == 5) {
      at += 4;
    }
    at += modrm >> 6 == 1 ? 1 : modrm >> 6 == 2 ? 4 : 0;
  }
  at += immediate;
  return at <= left ? at : 0;
}

// The number that `mov $number, %register` has put there, with nothing between that and the end of `code` that jumps or
// changes it; -1 if it is not known.
static long loaded_number(const uint8_t *code, size_t size, int to) {
  for (size_t back = 5; back <= size; ++back) {
    const uint8_t *load = code + size - back;
    if (load[0] != 0xb8 + to || load[3] != 0 || load[4] != 0) continue;
    size_t at = 5;
    for (size_t length; at < back && (length = step_over(load + at, back - at, to)) > 0;) at += length;
    if (at == back) return load[1] | load[2] << 8;
  }
  return -1;
}

// --- The number ------------------------------------------------------------------------------------------------

// mov %reg, %eax right before the call: the register still has it.
static long moved_number(const uint8_t *code, size_t size, const greg_t *registers) {
  static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  const uint8_t *move = code + size - 2;
  if (move[0] != 0x89 || (move[1] & 0xc7) != 0xc0) return -1;
  int from = (move[1] >> 3 & 7) | ((move[-1] & 0xf4) == 0x44 ? 8 : 0);
  return from == 0 || from == 1 || from == 11 ? -1 : (long)registers[order[from]];
}

// libc's syscall() moves every argument up by one: the number is what its caller passed first.
static long passed_number(const uint8_t *code, size_t size, uint64_t stack_pointer) {
  static const uint8_t last_move[] = {0x4c, 0x8b, 0x4c, 0x24, 0x08};  // mov 8(%rsp), %r9
  static const uint8_t first_move[] = {0x48, 0x89, 0xf8};             // mov %rdi, %rax
  bool is_syscall_function = size >= 24;
  for (size_t i = 0; i < sizeof last_move && is_syscall_function; ++i)
    is_syscall_function = code[size - sizeof last_move + i] == last_move[i];
  bool begins = false;
  for (size_t at = size > 28 ? size - 28 : 0; at + 3 <= size && is_syscall_function && !begins; ++at)
    begins = code[at] == first_move[0] && code[at + 1] == first_move[1] && code[at + 2] == first_move[2];
  uint64_t caller;
  uint8_t before[CODE_BYTES];
  if (!begins || cgr_memory_read(stack_pointer, &caller, 8) < 8
      || cgr_memory_read(caller - CODE_BYTES, before, CODE_BYTES) < CODE_BYTES)
    return -1;
  size_t call = before[CODE_BYTES - 5] == 0xe8 ? 5 : 6;  // call rel32, or through the loader's table
  if (call == 6 && (before[CODE_BYTES - 6] != 0xff || before[CODE_BYTES - 5] != 0x15)) return -1;
  return loaded_number(before, CODE_BYTES - call, EDI);
}

static long number_of_call(const ucontext_t *context) {
  uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  uint8_t code[CODE_BYTES];
  if (cgr_memory_read(pc - CODE_BYTES, code, CODE_BYTES) < CODE_BYTES) return -1;
  if (code[CODE_BYTES - 2] != 0x0f || code[CODE_BYTES - 1] != 0x05) return -1;
  size_t size = CODE_BYTES - 2;
  if (code[size - 2] == 0x31 && code[size - 1] == 0xc0) return 0;  // xor %eax, %eax
  long number = moved_number(code, size, context->uc_mcontext.gregs);
  if (number < 0) number = loaded_number(code, size, EAX);
  if (number < 0) number = passed_number(code, size, (uint64_t)context->uc_mcontext.gregs[REG_RSP]);
  return number;
}

// Those ignored by default.
static bool means_nothing(int signal, const void *handler) {
  bool by_default = signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
  return handler == (const void *)SIG_IGN || (handler == (const void *)SIG_DFL && by_default);
}

// Which signals are blocked while the call waits.
static uint64_t mask_of_wait(long number, const ucontext_t *context) {
  const greg_t *registers = context->uc_mcontext.gregs;
  uint64_t at = 0, mask = ((const uint64_t *)&context->uc_sigmask)[0];
  switch (number) {
    case SYS_rt_sigsuspend: at = (uint64_t)registers[REG_RDI]; break;
    case SYS_ppoll: at = (uint64_t)registers[REG_R10]; break;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: at = (uint64_t)registers[REG_R8]; break;
    case SYS_pselect6:
    case SYS_io_pgetevents:  // a structure that begins with the mask's address
      if (registers[REG_R9]) cgr_memory_read((uint64_t)registers[REG_R9], &at, sizeof at);
      break;
    default: break;
  }
  if (at) cgr_memory_read(at, &mask, sizeof mask);
  return mask;
}

// Another signal that is about to be delivered would have broken the call off as well. libc's own keep calls going.
static bool another_signal_waits(uint64_t mask) {
  uint64_t pending = 0;
  cgr_syscall2(SYS_rt_sigpending, &pending, 8);
  pending &= ~mask;
  for (int signal = 1; signal <= 64; ++signal) {
    if (!(pending & ~CGR_LIBC_SIGNALS & CGR_SIGNAL_BIT(signal))) continue;
    cgr_kernel_action action = {0};
    cgr_kernel_action_get(signal, &action);
    if (!means_nothing(signal, (const void *)action.handler)) return true;
  }
  return false;
}

long ck_interrupted_call_number(const ucontext_t *context) {
  const greg_t *registers = context->uc_mcontext.gregs;
  uint64_t pc = (uint64_t)registers[REG_RIP];
  uint8_t next[2];
  bool is_made_again = cgr_memory_read(pc, next, sizeof next) == sizeof next && next[0] == 0x0f && next[1] == 0x05;
  if (is_made_again) return (long)registers[REG_RAX];
  return registers[REG_RAX] == -EINTR && ck_interrupted_system_call(pc) ? number_of_call(context) : -1;
}

ck_broken_call ck_restart_interrupted_call(ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  if (registers[REG_RAX] != -EINTR || !ck_interrupted_system_call((uint64_t)registers[REG_RIP])) return CK_CALL_NONE;
  long number = number_of_call(context);
  if (another_signal_waits(mask_of_wait(number, context))) return CK_CALL_NONE;
  if (number < 0 || !may_be_made_again(number)) return CK_CALL_ENDS;
  registers[REG_RAX] = number;
  registers[REG_RIP] -= 2;
  return CK_CALL_GOES_ON;
}

#endif
