import CDiagdemoCrashes

extension CrashKind {
  /// Accesses that the processor or the kernel refuses.
  static let memory = [
    CrashKind("null-read", "read from address zero") { crash_null_read() },
    CrashKind("null-write", "write to address zero") { crash_null_write() },
    CrashKind("call-null", "call a function at address zero") { crash_call_null() },
    CrashKind("wild-read", "read where nothing is mapped") { crash_wild_read() },
    CrashKind("SIGSEGV-non-null", "write where nothing is mapped") { crash_wild_write() },
    CrashKind("non-canonical", "read from a number that is no address") { crash_non_canonical() },
    CrashKind("ro-page", "write to the program's code") { crash_ro_page() },
    CrashKind("nx-page", "call into memory that may not be executed") { crash_nx_page() },
    CrashKind("bus-error", "read a mapping behind the end of its file") { crash_bus_error() },
  ]
}
