import CDiagdemoCrashes

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension CrashKind {
  /// Every kind, in the order in which `--list` shows them.
  static let catalogue: [CrashKind] = memory + heap + instructions + swift + decisions + signals + hostile + unhandled + harmless

  private static let memory = [
    CrashKind("null-read", "read from address zero") { crash_null_read() },
    CrashKind("null-write", "write to address zero") { crash_null_write() },
    CrashKind("null-call", "call a function at address zero") { crash_null_call() },
    CrashKind("wild-read", "read where nothing is mapped") { crash_wild_read() },
    CrashKind("wild-write", "write where nothing is mapped") { crash_wild_write() },
    CrashKind("non-canonical-read", "read from a number that is no address") { crash_non_canonical_read() },
    CrashKind("read-only-write", "write to the program's code") { crash_read_only_write() },
    CrashKind("data-call", "call into memory that may not be executed") { crash_data_call() },
    CrashKind("stack-overflow", "call oneself without end, in C") { crash_stack_overflow() },
    CrashKind("bus-error", "read a mapping behind the end of its file") { crash_bus_error() },
  ]

  private static let heap = [
    CrashKind("double-free", "free a block twice") { crash_double_free() },
    CrashKind("free-invalid", "free what malloc did not give") { crash_free_invalid() },
  ]

  private static let instructions = [
    CrashKind("illegal-instruction", "execute an instruction that is none") { crash_illegal_instruction() },
    CrashKind("breakpoint", "run into a breakpoint without a debugger") { crash_breakpoint() },
    CrashKind("divide-by-zero", "divide by zero in C") { crash_divide_by_zero() },
  ]

  private static let swift = [
    CrashKind("index-out-of-range", "read past the end of an array") { SwiftCrashes.indexOutOfRange([1, 2, 3], 7) },
    CrashKind("force-unwrap", "unwrap nil") { SwiftCrashes.forceUnwrap(nil) },
    CrashKind("force-cast", "cast to a type that it is not") { SwiftCrashes.forceCast("text") },
    CrashKind("force-try", "try! a function that throws") { SwiftCrashes.forceTry() },
    CrashKind("fatal-error", "call fatalError") { SwiftCrashes.fatalErrorCall() },
    CrashKind("precondition", "fail a precondition") { SwiftCrashes.failPrecondition(-1) },
    CrashKind("integer-overflow", "add 1 to Int.max") { SwiftCrashes.addOne(to: .max) },
    CrashKind("swift-divide-by-zero", "divide by zero in Swift") { SwiftCrashes.divide(1, by: 0) },
    CrashKind("exclusivity", "modify a variable while it is being modified") { SwiftCrashes.breakExclusivity() },
    CrashKind("recursion", "call oneself without end, in Swift") { SwiftCrashes.recurse(1) },
    CrashKind("unowned", "use an unowned reference to a dead object") { SwiftCrashes.useDeadUnowned() },
    CrashKind("async-crash", "unwrap nil several awaits deep", .asynchronous { await SwiftCrashes.asyncCrash() }),
  ]

  private static let decisions = [
    CrashKind("abort", "call abort()") { crash_abort() },
    CrashKind("assert", "fail a C assertion") { crash_assert() },
    CrashKind("cxx-exception", "throw a C++ exception that nobody catches") { crash_cxx_exception() },
    CrashKind("pure-virtual-call", "call a pure virtual function") { crash_pure_virtual_call() },
  ]

  private static let signals =
    [
      CrashKind("bad-system-call", "make a system call that a filter forbids") { crash_bad_system_call() },
      CrashKind("signals-blocked", "write to address zero with all signals blocked") { crash_signals_blocked() },
      CrashKind("many-threads", "let 16 threads write to address zero at once") { crash_many_threads(16) },
    ]
    + raised.map { name, number in
      CrashKind("raise-\(name)", "send oneself \(name)") { crash_raise(number) }
    }

  private static let raised: [(String, Int32)] = [
    ("SIGABRT", SIGABRT), ("SIGBUS", SIGBUS), ("SIGFPE", SIGFPE), ("SIGILL", SIGILL), ("SIGSEGV", SIGSEGV),
    ("SIGSYS", SIGSYS), ("SIGTRAP", SIGTRAP), ("SIGTERM", SIGTERM), ("SIGKILL", SIGKILL),
  ]
}
