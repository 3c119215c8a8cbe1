#pragma once
// What the probe does by instructions of one processor.
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)

#define BREAKPOINT() __asm__ volatile("int3")
#define UNDEFINED_INSTRUCTION() __asm__ volatile("xorl %%eax, %%eax\n ud2" : : : "eax", "cc")
static const unsigned char undefined_code[] = {0x0f, 0x0b, 0xc3}, mended_code[] = {0x90, 0x90, 0xc3};

static inline uintptr_t program_counter(const ucontext_t *context) {
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}
/// As if the function had been called there.
static inline void set_program_counter(ucontext_t *context, uintptr_t function) {
  greg_t *registers = context->uc_mcontext.gregs;
  registers[REG_RIP] = (greg_t)function;
  registers[REG_RSP] = (registers[REG_RSP] - 128) / 16 * 16 - 8;
}
static inline void skip_undefined(ucontext_t *context) { context->uc_mcontext.gregs[REG_RIP] += 2; }
/// The processor has gone past a breakpoint already.
static inline void skip_breakpoint(ucontext_t *context) { (void)context; }

/// One store; the exclusive-or leaves the flags the same each time.
__attribute__((always_inline)) static inline void store_to(volatile char *address) {
  __asm__ volatile("xorl %%eax, %%eax\n movb $1, (%0)" : : "D"(address) : "eax", "cc", "memory");
}
/// One call, after which nothing that a handler sees differs from the call before.
__attribute__((always_inline)) static inline void call_code(const unsigned char *code) {
  __asm__ volatile("xorl %%eax, %%eax\n call *%0" : : "r"(code) : "eax", "cc", "memory");
}

#elif defined(__aarch64__)

#define BREAKPOINT() __asm__ volatile("brk #0")
#define UNDEFINED_INSTRUCTION() __asm__ volatile("mov x8, xzr\n mov x9, xzr\n udf #0" : : : "x8", "x9")
static const uint32_t undefined_code[] = {0x00000000, 0xd65f03c0}, mended_code[] = {0xd503201f, 0xd65f03c0};

static inline uintptr_t program_counter(const ucontext_t *context) { return context->uc_mcontext.pc; }
static inline void set_program_counter(ucontext_t *context, uintptr_t function) { context->uc_mcontext.pc = function; }
static inline void skip_undefined(ucontext_t *context) { context->uc_mcontext.pc += 4; }
static inline void skip_breakpoint(ucontext_t *context) { context->uc_mcontext.pc += 4; }

__attribute__((always_inline)) static inline void store_to(volatile char *address) {
  register volatile char *first __asm__("x0") = address;
  register uint32_t second __asm__("w1") = 1;
  __asm__ volatile("strb %w1, [%0]" : : "r"(first), "r"(second) : "memory");
}
__attribute__((always_inline)) static inline void call_code(const unsigned char *code) {
  register const unsigned char *first __asm__("x0") = code;
  __asm__ volatile("blr %0" : : "r"(first) : "x30", "memory");
}

#else
#error "the probe knows the instructions of x86-64 and aarch64 only"
#endif

/// Puts instructions where others lie, and makes the processor fetch them anew.
static inline void write_code(unsigned char *to, const void *code, size_t size) {
  memcpy(to, code, size);
  __builtin___clear_cache((char *)to, (char *)to + size);
}
