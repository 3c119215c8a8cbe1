import CrashKitTracing
import Instrumentation
import TestTracer
import Testing

@testable import CrashKit

/// Traces of contexts, as a tracer says them.
@Suite struct TracingTests {
  private static let traceId = "0af7651916cd43dd8448eb211c80319c"
  private static let spanId = "b7ad6b7169203331"

  private func trace(_ value: String?) -> CrashKit.Trace? {
    var context = InstrumentationContext.topLevel
    context[Tracer.Key.self] = value
    return InstrumentationContext.withValue(context) { CrashKitTracing.current }
  }

  @Test func aTracerIsAskedInEachContext() {
    #expect(Tracer.isBootstrapped && CrashKitTracing.current == nil)
    let header = "00-\(Self.traceId)-\(Self.spanId)-01"
    #expect(trace(header) == CrashKit.Trace(traceId: Self.traceId, spanId: Self.spanId))
    #expect(trace("no header") == nil && trace(nil) == nil)

    func opened(_ context: InstrumentationContext?, trace: CrashKit.Trace? = nil) -> CrashKit.Trace? {
      InstrumentationContext.withValue(context) {
        CrashKit.withContext("request", trace: trace) { ContextScope.current.get()?.trace }
      }
    }
    var span = InstrumentationContext.topLevel
    span[Tracer.Key.self] = header
    #expect(opened(span) == nil)
    CrashKitTracing.start()
    defer { CrashKit.traceSource.withLock { $0 = nil } }
    let given = CrashKit.Trace(traceId: Self.traceId, spanId: "00f067aa0ba902b7")
    #expect(opened(span)?.spanId == Self.spanId)
    #expect(opened(span, trace: given) == given)
    #expect(opened(nil) == nil)
    // Inside another context the tracer's word counts, and without one the trace around it.
    CrashKit.withContext("outer", trace: given) {
      #expect(opened(span)?.spanId == Self.spanId)
      #expect(opened(nil) == given)
    }
  }
}
