// Chooses the cause of death; the causes and their words are in Sources/Ground/CReportTerms/causes.def. Reads through
// cgr_memory_read and /proc/self/maps.

#include "report/cause.h"

#include "threads/abort_call.h"
#include "threads/fault.h"
#include "processor/maps.h"
#include "CGround/memory.h"
#include "report/mutex_cause.h"
#include "processor/operand.h"
#include "surroundings/guarded_memory.h"
#include "CGround/own_ids.h"

/// Below this an address is an offset from a null pointer: Linux maps nothing under vm.mmap_min_addr, 64 KiB.
#define NULL_PAGE 0x10000
/// From here on codes are of memory tags and of what protects the flow of control (SEGV_MTEAERR, which older headers
/// lack): the address says nothing of what is mapped.
#define FIRST_TAG_CODE 8
/// How far below the stack's last page a frame may reach at once.
#define STACK_STRIDE (1024 * 1024)

static const char *verb(ck_access access) {
  if (!access.known) return "access";
  return access.fetch ? "jump" : access.write ? "write" : "read";
}

static term_cause say(cgr_text *text, term_cause cause) {
  cgr_text_string(text, term_cause_words(cause));
  return cause;
}

static term_cause at_address(cgr_text *text, term_cause cause, ck_access access, uint64_t address) {
  say(text, cause);
  cgr_text_string(text, " (");
  cgr_text_string(text, verb(access));
  cgr_text_string(text, access.fetch && access.known ? " to 0x" : " at 0x");
  cgr_text_hex(text, address, 1);
  cgr_text_string(text, ")");
  return cause;
}

static void in_file(cgr_text *text, const ck_mapping *mapping) {
  if (!mapping->path[0]) return;
  cgr_text_string(text, " in ");
  cgr_text_string(text, mapping->path);
}

// The fault lies in the guard below a stack, and the stack pointer is about to leave, or has just left, that stack.
static bool is_stack_overflow(const ck_map_query *address, const ck_map_query *sp_query) {
  uint64_t sp = sp_query->address;
  uint64_t fault = address->address;
  bool in_guard = !address->at.found || (!address->at.readable && !address->at.writable);
  if (!in_guard || !address->above.found || !address->above.writable) return false;
  uint64_t stack_start = address->above.start;
  bool near_fault = fault + STACK_STRIDE > sp && sp + STACK_STRIDE > fault;
  bool at_the_end = sp < stack_start ? stack_start - sp <= STACK_STRIDE : sp - stack_start <= STACK_STRIDE;
  return near_fault && at_the_end && (sp <= stack_start || sp < address->above.end);
}

static bool has_stray_stack_pointer(const ck_fault *fault) {
  return !ck_is_canonical(fault->registers.values[CK_REGISTER_SP]);
}

static term_cause stray_stack_pointer(const ck_fault *fault, cgr_text *text) {
  say(text, TERM_CAUSE_invalidStackPointer);
  cgr_text_string(text, " (0x");
  cgr_text_hex(text, fault->registers.values[CK_REGISTER_SP], 1);
  cgr_text_string(text, ")");
  return TERM_CAUSE_invalidStackPointer;
}

// A stack fault: the instruction used the stack pointer, or the frame pointer as the base of an address.
static term_cause stack_cause(const ck_fault *fault, cgr_text *text) {
  ck_operand operand = ck_operand_of(&fault->registers);
  if (has_stray_stack_pointer(fault)) return stray_stack_pointer(fault, text);
  if (operand.kind == CK_OPERAND_UNKNOWN || operand.canonical) return say(text, TERM_CAUSE_nonCanonicalStackAccess);
  return at_address(text, TERM_CAUSE_nonCanonicalAccess, (ck_access){.known = false}, operand.address);
}

// A general protection fault: only the instruction shows its cause.
static term_cause protection_cause(const ck_fault *fault, cgr_text *text) {
  if (ck_instruction_at(fault->registers.values[CK_REGISTER_PC]) == CK_INSTRUCTION_PRIVILEGED)
    return say(text, TERM_CAUSE_privilegedInstruction);
  ck_operand operand = ck_operand_of(&fault->registers);
  ck_access access = {.known = operand.kind == CK_OPERAND_JUMP || operand.kind == CK_OPERAND_RETURN, .fetch = true};
  if (operand.kind == CK_OPERAND_UNKNOWN) return say(text, TERM_CAUSE_nonCanonicalOrUnaligned);
  term_cause cause = access.known ? TERM_CAUSE_nonCanonicalJump : TERM_CAUSE_nonCanonicalAccess;
  if (operand.kind == CK_OPERAND_RETURN) cause = TERM_CAUSE_nonCanonicalReturn;
  if (operand.canonical) cause = TERM_CAUSE_unalignedInstruction;
  return at_address(text, cause, access, operand.address);
}

static term_cause unmapped_cause(const ck_fault *fault, ck_access access) {
  if (!access.fetch) return TERM_CAUSE_unmappedAccess;
  return ck_came_by_return(&fault->registers) ? TERM_CAUSE_unmappedReturn : TERM_CAUSE_unmappedJump;
}

// Of a page that is there, and does not allow what was done.
static term_cause mapped_cause(const ck_mapping *at, ck_access access) {
  if (access.fetch && !at->executable) return TERM_CAUSE_dataExecution;
  if (access.write && at->readable && !at->writable) return TERM_CAUSE_readOnlyWrite;
  if (!at->readable && !at->writable && !at->executable) return TERM_CAUSE_protectedAccess;
  return TERM_CAUSE_disallowedAccess;
}

static term_cause segmentation_cause(const ck_fault *fault, cgr_text *text) {
  if (fault->info.si_code == SI_KERNEL) return protection_cause(fault, text);
  if (fault->info.si_code >= FIRST_TAG_CODE) return TERM_CAUSE_UNKNOWN;
  uint64_t address = fault->address;
  ck_access access = ck_fault_access(fault);
  ck_map_query queries[2] = {{.address = address}, {.address = fault->registers.values[CK_REGISTER_SP]}};
  bool mapped = ck_maps_query(queries, 2);
  const ck_mapping *at = &queries[0].at;
  ck_guarded_memory guarded;

  if (ck_guarded_memory_find(fault, &guarded)) return at_address(text, guarded.cause, access, address);
  if (address < NULL_PAGE)
    return at_address(text, access.fetch ? TERM_CAUSE_nullCall : TERM_CAUSE_nullDereference, access, address);
  if (mapped && is_stack_overflow(&queries[0], &queries[1]))
    return at_address(text, TERM_CAUSE_stackOverflow, access, address);
  uint64_t sp = queries[1].address;
  bool near_sp = sp - address < STACK_STRIDE || address - sp < STACK_STRIDE;
  if (near_sp && has_stray_stack_pointer(fault)) return stray_stack_pointer(fault, text);
  if (mapped && near_sp && !queries[1].at.found)
    return at_address(text, TERM_CAUSE_unmappedStackPointer, access, address);
  if (!mapped || !at->found) return at_address(text, unmapped_cause(fault, access), access, address);
  term_cause cause = at_address(text, mapped_cause(at, access), access, address);
  in_file(text, at);
  return cause;
}

static term_cause bus_cause(const ck_fault *fault, cgr_text *text) {
  ck_access access = ck_access_of_fault(fault->context);
  switch (fault->info.si_code) {
    case SI_KERNEL: return stack_cause(fault, text);
    case BUS_ADRALN: {
      ck_operand operand = ck_operand_of(&fault->registers);
      if (!fault->has_address && operand.kind != CK_OPERAND_MEMORY) return say(text, TERM_CAUSE_unalignedAccess);
      uint64_t address = fault->has_address ? fault->address : operand.address;
      return at_address(text, TERM_CAUSE_unalignedAccess, access, address);
    }
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO: return at_address(text, TERM_CAUSE_memoryHardwareError, access, fault->address);
    case BUS_ADRERR: {
      ck_map_query query = {.address = fault->address};
      ck_maps_query(&query, 1);
      at_address(text, TERM_CAUSE_pastEndOfFile, access, fault->address);
      in_file(text, &query.at);
      return TERM_CAUSE_pastEndOfFile;
    }
    default: return TERM_CAUSE_UNKNOWN;
  }
}

static term_cause arithmetic_cause(int code) {
  switch (code) {
    case FPE_INTDIV: return TERM_CAUSE_integerDivision;
    case FPE_INTOVF: return TERM_CAUSE_integerOverflow;
    case FPE_FLTDIV: return TERM_CAUSE_floatingDivision;
    case FPE_FLTOVF: return TERM_CAUSE_floatingOverflow;
    case FPE_FLTUND: return TERM_CAUSE_floatingUnderflow;
    case FPE_FLTRES: return TERM_CAUSE_floatingInexact;
    case FPE_FLTINV: return TERM_CAUSE_floatingInvalid;
    case FPE_FLTSUB: return TERM_CAUSE_subscriptRange;
    default: return TERM_CAUSE_arithmetic;
  }
}

// Why a library gave up, by the message that it leaves.
static term_cause abort_cause(const ck_fault *fault, const cgr_text *message) {
  static const struct {
    const char *beginning;
    term_cause cause;
  } known[] = {
      {"terminate called after throwing", TERM_CAUSE_cxxException},
      {"thread '", TERM_CAUSE_rustPanic},
      {"*** stack smashing detected", TERM_CAUSE_stackSmashed},
      {"*** buffer overflow detected", TERM_CAUSE_bufferOverflow},
      {"free(): double free", TERM_CAUSE_doubleFree},
      {"free(): ", TERM_CAUSE_invalidFree},
      {"munmap_chunk(): ", TERM_CAUSE_invalidFree},
      {"double free or corruption", TERM_CAUSE_corruptionOrDoubleFree},
      {"malloc", TERM_CAUSE_corruptionAtMalloc},
      {"realloc(): ", TERM_CAUSE_corruptionAtRealloc},
      {"corrupted ", TERM_CAUSE_corruptionAtMalloc},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (message->size >= cgr_length(known[i].beginning) && cgr_starts_with(message->bytes, known[i].beginning))
      return known[i].cause;
  bool raised = message->size == 0 && ck_abort_is_known() && !ck_abort_is_calling(&fault->registers);
  return raised ? TERM_CAUSE_raised : TERM_CAUSE_abortCalled;
}

// Writes a cause's words with numbers in their gaps.
static term_cause say_numbers(cgr_text *text, term_cause cause, const int64_t numbers[]) {
  for (const char *words = term_cause_words(cause); *words; ++words) {
    if (*words == '#')
      cgr_text_decimal(text, *numbers++);
    else
      cgr_text_bytes(text, words, 1);
  }
  return cause;
}

static term_cause sender_cause(const ck_fault *fault, const cgr_text *message, cgr_text *text) {
  int own = (int)cgr_process_id();
  ck_guarded_memory guarded;
  if (ck_guarded_memory_find(fault, &guarded)) return say(text, guarded.cause);
  if (fault->info.si_pid == own)
    return say(text, fault->signal == SIGABRT ? abort_cause(fault, message) : TERM_CAUSE_raised);
  return say_numbers(text, TERM_CAUSE_sentByProcess, (int64_t[]){fault->info.si_pid, fault->info.si_uid});
}

static term_cause mutex_cause(const ck_fault *fault, cgr_text *text) {
  int owner = ck_find_refused_mutex(fault).owner;
  return say_numbers(text, ck_mutex_cause(owner), (int64_t[]){owner});
}

term_cause ck_cause_write(const ck_fault *fault, const cgr_text *message, cgr_text *text) {
  bool has_message = message->size > 0;
  if (fault->has_sender) return sender_cause(fault, message, text);
  bool trap = ck_instruction_at(fault->registers.values[CK_REGISTER_PC]) == CK_INSTRUCTION_TRAP;
  if (trap && ck_is_mutex_trap(message)) return mutex_cause(fault, text);
  switch (fault->signal) {
    case SIGSEGV: return segmentation_cause(fault, text);
    case SIGBUS: return bus_cause(fault, text);
    case SIGFPE: return say(text, arithmetic_cause(fault->info.si_code));
    case SIGILL:
      if (!trap) return say(text, TERM_CAUSE_undefinedInstruction);
      return say(text, has_message ? TERM_CAUSE_programStop : TERM_CAUSE_failedCheck);
    case SIGTRAP: return say(text, trap && has_message ? TERM_CAUSE_programStop : TERM_CAUSE_breakpoint);
    case SIGSYS: return say_numbers(text, TERM_CAUSE_refusedSystemCall, (int64_t[]){fault->info.si_syscall});
    default: return TERM_CAUSE_UNKNOWN;
  }
}
