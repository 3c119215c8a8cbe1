import CDiagdemoCrashes

extension CrashKind {
  /// What C and C++ programs, and their libraries, die of.
  static let c = [
    CrashKind("abort", "call abort()") { crash_abort() },
    CrashKind("assert", "fail a C assertion") { crash_assert() },
    CrashKind("cxx-exception", "throw a C++ exception that nobody catches") { crash_cxx_exception() },
    CrashKind("pure-virtual-call", "call a pure virtual function") { crash_pure_virtual_call() },
    CrashKind("double-free", "free a block twice") { crash_double_free() },
    CrashKind("free-invalid", "free what malloc did not give") { crash_free_invalid() },
    CrashKind("SIGILL", "execute an instruction that is none") { crash_undefined_instruction() },
    CrashKind("SIGTRAP", "run into a breakpoint without a debugger") { crash_breakpoint() },
    CrashKind("SIGFPE", "divide by zero in C") { crash_divide_by_zero() },
    CrashKind("seccomp", "make a system call that a filter forbids") { crash_seccomp() },
    CrashKind("signals-blocked", "write to address zero with all signals blocked") { crash_signals_blocked() },
    CrashKind("many-threads", "let 16 threads write to address zero at once") { crash_many_threads(16) },
  ]
}
