import CDiagdemoCrashes

extension CrashKind {
  /// Accesses that the processor or the kernel refuses.
  static let memory = [
    CrashKind("null-read", "read from address zero") { crash_null_read() },
    CrashKind("null-write", "write to address zero") { crash_null_write() },
    CrashKind("null-offset", "read a member of a structure at address zero") { crash_null_offset() },
    CrashKind("call-null", "call a function at address zero") { crash_call_null() },
    CrashKind("wild-read", "read where nothing is mapped") { crash_wild_read() },
    CrashKind("SIGSEGV-non-null", "write where nothing is mapped") { crash_wild_write() },
    CrashKind("non-canonical", "read from an invalid address") { crash_non_canonical() },
    CrashKind("ro-page", "write to the program's code") { crash_ro_page() },
    CrashKind("nx-page", "call into memory that may not be executed") { crash_nx_page() },
    CrashKind("SIGSEGV-unmapped", "read a page that was unmapped") { crash_use_after_unmap() },
    CrashKind("unmapped-code", "call into a page that was unmapped") { crash_unmapped_code() },
    CrashKind("bus-error", "read a mapping of a file past the end of the file") { crash_bus_error() },
    CrashKind("unaligned", "read from an odd address while the processor checks alignment") { crash_unaligned() },
    CrashKind("unaligned-vector", "write a vector to an odd address") { crash_unaligned_vector() },
  ]
}
