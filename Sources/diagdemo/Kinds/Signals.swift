import CDiagdemoCrashes

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension CrashKind {
  /// Signals that the program sends itself, and an end without any.
  static let signals =
    [CrashKind("exit", "end normally, with status 0") { exit(0) }]
    + raised.map { name, number in
      CrashKind("raise-\(name)", "send oneself \(name)") { crash_raise(number) }
    }

  private static let raised: [(String, Int32)] = [
    ("SIGABRT", SIGABRT), ("SIGBUS", SIGBUS), ("SIGFPE", SIGFPE), ("SIGILL", SIGILL), ("SIGSEGV", SIGSEGV),
    ("SIGSYS", SIGSYS), ("SIGTRAP", SIGTRAP), ("SIGTERM", SIGTERM), ("SIGKILL", SIGKILL),
  ]
}
