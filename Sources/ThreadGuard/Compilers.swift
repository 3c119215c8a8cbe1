// What depends on the compiler. Debian's Swift 6.0 for aarch64 is older than Package.swift asks for.

#if THREADGUARD
  extension UnownedSerialExecutor {
    /// Whether the executor itself knows what it is running. Before Swift 6.2, the runtime cannot ask it.
    var knowsWhatItRuns: Bool {
      #if compiler(>=6.2)
        asSerialExecutor()?.isIsolatingCurrentContext() != nil
      #else
        false
      #endif
    }
  }
#endif
