// The arguments of a handler, read once.

#include "threads/fault.h"

#include "CGround/memory.h"

void ck_fault_read(ck_fault *fault, int signal, const siginfo_t *info, ucontext_t *context) {
  cgr_zero(fault, sizeof *fault);
  fault->signal = signal;
  cgr_copy(&fault->info, info, sizeof *info);
  fault->context = context;
  ck_registers_read(&fault->registers, context);
  bool by_kernel = info->si_code > 0;
  fault->has_sender = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  bool addressed = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGTRAP;
  if (!by_kernel || !addressed) return;
  // The kernel gives no address for a general protection fault, nor for a breakpoint: there the pc is what it is about.
  // For a failed check of alignments it gives one on some processors only.
  bool given = info->si_code != SI_KERNEL;
  if (signal == SIGBUS && info->si_code == BUS_ADRALN && !info->si_addr) return;
  bool about_pc = signal != SIGSEGV && signal != SIGBUS;
  fault->has_address = given || about_pc;
  fault->address = given ? (uintptr_t)info->si_addr : fault->registers.values[CK_REGISTER_PC];
}

ck_access ck_fault_access(const ck_fault *fault) {
  ck_access access = ck_access_of_fault(fault->context);
  if (!access.known && fault->address == fault->registers.values[CK_REGISTER_PC])
    access = (ck_access){.known = true, .fetch = true};
  return access;
}

bool ck_fault_is_bad_jump(const ck_fault *fault) {
  bool memory = fault->signal == SIGSEGV || fault->signal == SIGBUS;
  return memory && fault->has_address && ck_fault_access(fault).fetch;
}
