#if CrashKitTracing
  import CrashKit
  import Instrumentation

  /// Shows traces of swift-distributed-tracing in CrashKit's reports.
  public enum CrashKitTracing {
    /// From now on, each context that `CrashKit.withContext` opens has the trace and the span of the current
    /// `ServiceContext`, if the program's tracer knows them.
    ///
    /// ```swift
    /// InstrumentationSystem.bootstrap(tracer)
    /// CrashKitTracing.start()
    /// ```
    public static func start() {
      CrashKit.traceSource.withLock { $0 = { current } }
    }

    /// The trace of the current `ServiceContext`, and its span.
    ///
    /// Only the program's tracer knows where it stores these. So CrashKitTracing asks the tracer for the header
    /// `traceparent`, as a client does before a request to another service. `nil` if there is no tracer, or if the
    /// tracer does not write this header.
    public static var current: CrashKit.Trace? {
      guard let context = InstrumentationContext.current else { return nil }
      var found: CrashKit.Trace?
      InstrumentationSystem.instrument.inject(context, into: &found, using: Traceparent())
      return found
    }

    private struct Traceparent: Injector {
      func inject(_ value: String, forKey key: String, into found: inout CrashKit.Trace?) {
        if key == "traceparent" || key.lowercased() == "traceparent" { found = CrashKit.Trace(traceparent: value) }
      }
    }
  }
#else
  /// If the package trait `CrashKitTracing` is off, this type is empty.
  public enum CrashKitTracing {
    @available(*, unavailable, message: "CrashKitTracing's trait is off: see Docs/packages.md")
    public static func start() {}
  }
#endif
