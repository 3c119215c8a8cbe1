import CDiagdemoCrashes

extension CrashKind {
  /// What C and C++ programs, and their libraries, die of.
  static let c = [
    CrashKind("abort", "call abort()") { crash_abort() },
    CrashKind("abort_with_msg", "leave a message in memory for the core file, then call abort()") {
      crash_abort_with_msg()
    },
    CrashKind("assert", "fail a C assertion") { crash_assert() },
    CrashKind("double-free", "free a block twice") { crash_double_free() },
    CrashKind("free-invalid", "free memory that malloc did not allocate") { crash_free_invalid() },
    CrashKind("heap-corruption", "overwrite malloc's data after a block") { crash_heap_corruption() },
    CrashKind("smash-stack", "overwrite the guard of a return address") { crash_smash_stack() },
    CrashKind("fortify", "copy too many bytes with a function that checks the size") { crash_fortify() },
    CrashKind("strlen-NULL", "pass a null pointer to strlen") { crash_strlen_null() },
    CrashKind("readdir-NULL", "pass a null pointer to readdir") { crash_readdir_null() },
    CrashKind("fprintf-NULL", "pass a null pointer to fprintf") { crash_fprintf_null() },
    CrashKind("pthread_join-NULL", "pass an address just above null to pthread_join") { crash_pthread_join_null() },
    CrashKind("cxx-exception", "throw an uncaught C++ exception") { crash_cxx_exception() },
    CrashKind("pure-virtual-call", "call a pure virtual function") { crash_pure_virtual_call() },
    CrashKind("SIGILL", "execute an invalid instruction") { crash_undefined_instruction() },
    CrashKind("SIGTRAP", "run into a breakpoint without a debugger") { crash_breakpoint() },
    CrashKind("SIGFPE", "divide by zero in C") { crash_divide_by_zero() },
    CrashKind("priv-inst", "execute a privileged instruction") { crash_privileged_instruction() },
    CrashKind("seccomp", "make a system call that a filter forbids") { crash_seccomp() },
    CrashKind("signals-blocked", "write to address zero with all signals blocked") { crash_signals_blocked() },
    CrashKind("many-threads", "let 16 threads write to address zero at once") { crash_many_threads(16) },
  ]
}
