// Why the process died. Reads through ck_memory_read and /proc/self/maps.

#include "report/cause.h"

#include "threads/fault.h"
#include "processor/maps.h"
#include "CGround/memory.h"
#include "report/mutex_cause.h"
#include "processor/operand.h"
#include "CGround/syscalls.h"

/// Below this an address is an offset from a null pointer: Linux maps nothing under vm.mmap_min_addr, 64 KiB.
#define NULL_PAGE 0x10000
/// How far below the stack's last page a frame may reach at once.
#define STACK_STRIDE (1024 * 1024)

static const char *verb(ck_access access) {
  if (!access.known) return "access";
  return access.fetch ? "jump" : access.write ? "write" : "read";
}

static void at_address(ck_text *text, const char *words, ck_access access, uint64_t address) {
  ck_text_string(text, words);
  ck_text_string(text, " (");
  ck_text_string(text, verb(access));
  ck_text_string(text, access.fetch && access.known ? " to 0x" : " at 0x");
  ck_text_hex(text, address, 1);
  ck_text_string(text, ")");
}

static void in_file(ck_text *text, const ck_mapping *mapping) {
  if (!mapping->path[0]) return;
  ck_text_string(text, " in ");
  ck_text_string(text, mapping->path);
}

// The fault lies in the guard below a stack, and the stack pointer is about to leave, or has just left, that stack.
static bool is_stack_overflow(const ck_map_query *address, const ck_map_query *sp_query) {
  uint64_t sp = sp_query->address;
  uint64_t fault = address->address;
  bool in_guard = !address->at.found || (!address->at.readable && !address->at.writable);
  if (!in_guard || !address->has_next || !address->next_writable) return false;
  uint64_t stack_start = address->next_start;
  bool near_fault = fault + STACK_STRIDE > sp && sp + STACK_STRIDE > fault;
  bool at_the_end = sp < stack_start ? stack_start - sp <= STACK_STRIDE : sp - stack_start <= STACK_STRIDE;
  return near_fault && at_the_end && (sp <= stack_start || sp < address->next_end);
}

static bool write_stray_stack_pointer(const ck_fault *fault, ck_text *text) {
  uint64_t sp = fault->registers.values[CK_REGISTER_SP];
  if (ck_is_canonical(sp)) return false;
  ck_text_string(text, "the stack pointer is not a valid address (0x");
  ck_text_hex(text, sp, 1);
  ck_text_string(text, ")");
  return true;
}

// A stack fault: the instruction used the stack pointer, or the frame pointer as the base of an address.
static void stack_cause(const ck_fault *fault, ck_text *text) {
  ck_operand operand = ck_operand_of(&fault->registers);
  if (write_stray_stack_pointer(fault, text)) return;
  if (operand.kind == CK_OPERAND_UNKNOWN || operand.canonical)
    return ck_text_string(text, "access to a non-canonical address by way of the stack or frame pointer");
  at_address(text, "access to a non-canonical address", (ck_access){.known = false}, operand.address);
}

// A general protection fault: what it was about, only the instruction tells.
static void protection_cause(const ck_fault *fault, ck_text *text) {
  if (ck_instruction_at(fault->registers.values[CK_REGISTER_PC]) == CK_INSTRUCTION_PRIVILEGED)
    return ck_text_string(text, "privileged instruction");
  ck_operand operand = ck_operand_of(&fault->registers);
  ck_access access = {.known = operand.kind == CK_OPERAND_JUMP || operand.kind == CK_OPERAND_RETURN, .fetch = true};
  if (operand.kind == CK_OPERAND_UNKNOWN)
    ck_text_string(text, "access to a non-canonical address, or an unaligned one");
  else if (operand.canonical)
    at_address(text, "unaligned access by an instruction that allows none", access, operand.address);
  else if (operand.kind == CK_OPERAND_RETURN)
    at_address(text, "return to a non-canonical address", access, operand.address);
  else
    at_address(text, access.known ? "jump to a non-canonical address" : "access to a non-canonical address", access,
               operand.address);
}

static void segmentation_cause(const ck_fault *fault, ck_text *text) {
  if (fault->info.si_code == SI_KERNEL) return protection_cause(fault, text);
  uint64_t address = fault->address;
  ck_access access = ck_fault_access(fault);
  ck_map_query queries[2] = {{.address = address}, {.address = fault->registers.values[CK_REGISTER_SP]}};
  bool mapped = ck_maps_query(queries, 2);
  const ck_mapping *at = &queries[0].at;

  if (address < NULL_PAGE)
    return at_address(text, access.fetch ? "call through a null pointer" : "null pointer dereference", access, address);
  if (mapped && is_stack_overflow(&queries[0], &queries[1]))
    return at_address(text, "stack overflow", access, address);
  uint64_t sp = queries[1].address;
  bool near_sp = sp - address < STACK_STRIDE || address - sp < STACK_STRIDE;
  if (near_sp && write_stray_stack_pointer(fault, text)) return;
  if (mapped && near_sp && !queries[1].at.found)
    return at_address(text, "the stack pointer points to no memory", access, address);
  bool returned = access.fetch && ck_came_by_return(&fault->registers);
  if (!mapped || !at->found) {
    const char *words = returned ? "return to an unmapped address" : "jump to an unmapped address";
    return at_address(text, access.fetch ? words : "access to unmapped memory", access, address);
  }
  if (access.fetch && !at->executable)
    at_address(text, "execution of memory that is not executable", access, address);
  else if (access.write && at->readable && !at->writable)
    at_address(text, "write to read-only memory", access, address);
  else if (!at->readable && !at->writable && !at->executable)
    at_address(text, "access to protected memory", access, address);
  else
    at_address(text, "access that the memory's protection does not allow", access, address);
  in_file(text, at);
}

static void bus_cause(const ck_fault *fault, ck_text *text) {
  ck_access access = ck_access_of_fault(fault->context);
  switch (fault->info.si_code) {
    case SI_KERNEL: return stack_cause(fault, text);
    case BUS_ADRALN: {
      ck_operand operand = ck_operand_of(&fault->registers);
      if (!fault->has_address && operand.kind != CK_OPERAND_MEMORY) return ck_text_string(text, "unaligned access");
      uint64_t address = fault->has_address ? fault->address : operand.address;
      return at_address(text, "unaligned access", access, address);
    }
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO: return at_address(text, "memory hardware error", access, fault->address);
    case BUS_ADRERR: {
      ck_map_query query = {.address = fault->address};
      ck_maps_query(&query, 1);
      at_address(text, "access beyond the end of a mapped file", access, fault->address);
      return in_file(text, &query.at);
    }
    default: return;
  }
}

static const char *arithmetic_cause(int code) {
  switch (code) {
    case FPE_INTDIV: return "integer division by zero or overflow";
    case FPE_INTOVF: return "integer overflow";
    case FPE_FLTDIV: return "floating-point division by zero";
    case FPE_FLTOVF: return "floating-point overflow";
    case FPE_FLTUND: return "floating-point underflow";
    case FPE_FLTRES: return "inexact floating-point result";
    case FPE_FLTINV: return "invalid floating-point operation";
    case FPE_FLTSUB: return "subscript out of range";
    default: return "arithmetic exception";
  }
}

// Why a library gave up, by the message that it leaves.
static const char *abort_cause(const ck_text *message) {
  static const struct {
    const char *beginning, *cause;
  } known[] = {
      {"terminate called after throwing", "uncaught C++ exception"},
      {"thread '", "Rust panic"},
      {"*** stack smashing detected", "stack smashed: the guard of a return address was overwritten"},
      {"*** buffer overflow detected", "buffer overflow, found by a checked function of libc"},
      {"free(): double free", "double free, found by free()"},
      {"free(): ", "heap corruption or invalid free, found by free()"},
      {"munmap_chunk(): ", "heap corruption or invalid free, found by free()"},
      {"double free or corruption", "heap corruption or double free, found by free()"},
      {"malloc", "heap corruption, found by malloc()"},
      {"realloc(): ", "heap corruption, found by realloc()"},
      {"corrupted ", "heap corruption, found by malloc()"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (message->size >= ck_length(known[i].beginning) && ck_starts_with(message->bytes, known[i].beginning))
      return known[i].cause;
  return "abort() called";
}

static void sender_cause(const ck_fault *fault, const ck_text *message, ck_text *text) {
  int own = (int)ck_syscall0(SYS_getpid);
  if (fault->info.si_pid == own)
    return ck_text_string(text, fault->signal == SIGABRT ? abort_cause(message) : "raised by the program itself");
  ck_text_string(text, "sent by process ");
  ck_text_decimal(text, fault->info.si_pid);
  ck_text_string(text, " (user ");
  ck_text_unsigned(text, fault->info.si_uid);
  ck_text_string(text, ")");
}

void ck_cause_write(const ck_fault *fault, const ck_text *message, ck_text *text) {
  bool has_message = message->size > 0;
  if (fault->has_sender) return sender_cause(fault, message, text);
  bool trap = ck_instruction_at(fault->registers.values[CK_REGISTER_PC]) == CK_INSTRUCTION_TRAP;
  if (trap && ck_is_mutex_trap(message)) return ck_mutex_cause_write(fault, text);
  switch (fault->signal) {
    case SIGSEGV: return segmentation_cause(fault, text);
    case SIGBUS: return bus_cause(fault, text);
    case SIGFPE: return ck_text_string(text, arithmetic_cause(fault->info.si_code));
    case SIGILL:
      if (!trap) return ck_text_string(text, "undefined instruction");
      return ck_text_string(text, has_message ? "the program stopped itself" : "trap: a check in the program failed");
    case SIGTRAP:
      return ck_text_string(text, trap && has_message ? "the program stopped itself" : "breakpoint instruction");
    case SIGSYS:
      ck_text_string(text, "system call ");
      ck_text_decimal(text, fault->info.si_syscall);
      return ck_text_string(text, " refused by a filter");
    default: return;
  }
}
