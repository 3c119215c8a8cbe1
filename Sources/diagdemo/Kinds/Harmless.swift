import CDiagdemoCrashes

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension CrashKind {
  /// What looks like a death and is none: no report may come of it.
  static let harmless: [CrashKind] = [
    CrashKind("exit-status", "end with status 3") { exit(3) },
    CrashKind("sigterm-handled", "handle SIGTERM") { end(well: handle_sigterm()) },
    CrashKind("sigpipe-ignored", "write to a pipe without a reader") { end(well: ignore_sigpipe()) },
    CrashKind("repaired-by-mprotect", "repair a thousand faults by making the page accessible") {
      end(well: repair_by_protection(1000))
    },
    CrashKind("repaired-by-jump", "repair a thousand faults with siglongjmp") { end(well: repair_by_jump(1000)) },
    CrashKind("repaired-by-advancing", "repair a thousand faults by stepping over the access") {
      end(well: repair_by_advancing(1000))
    },
    CrashKind("children", "run a program twenty times, each time in a new child process") {
      end(well: run_children(20))
    },
  ]

  private static func end(well: Bool) {
    print(well ? "all went well" : "something went wrong")
    exit(well ? 0 : 1)
  }
}
