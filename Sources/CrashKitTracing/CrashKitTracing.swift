#if CrashKitTracing
  import CrashKit
  import Instrumentation

  /// Traces of swift-distributed-tracing in CrashKit's reports.
  public enum CrashKitTracing {
    /// From now on, each context that `CrashKit.withContext` opens has the trace and the span of the current
    /// `ServiceContext`, if the tracer that the program uses knows them.
    ///
    /// ```swift
    /// InstrumentationSystem.bootstrap(tracer)
    /// CrashKitTracing.start()
    /// ```
    public static func start() {
      CrashKit.traceSource.withLock { $0 = { current } }
    }

    /// The trace that the current `ServiceContext` is part of, and its span.
    ///
    /// Only tracers know where they keep these. They are asked for the header `traceparent`, as before a request to
    /// another service: `nil` if there is no tracer, or none that writes this header.
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
  /// Traces of swift-distributed-tracing in CrashKit's reports. The trait that brings it is off.
  public enum CrashKitTracing {
    @available(*, unavailable, message: "CrashKitTracing's trait is off: see Docs/packages.md")
    public static func start() {}
  }
#endif
