import CCrashCapture
import Synchronization

extension CrashKit {
  /// Returns the trace of the calling task; CrashKitTracing sets this closure.
  package static let traceSource = Mutex<(@Sendable () -> Trace?)?>(nil)
}

extension CrashKit.Trace {
  /// The ids as the crash handler reads them.
  func withEncoded<Result>(_ body: (UnsafePointer<ck_trace>) -> Result) -> Result {
    var encoded = ck_trace()
    withUnsafeMutableBytes(of: &encoded.trace_id) {
      $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    withUnsafeMutableBytes(of: &encoded.span_id) { $0.storeBytes(of: span.bigEndian, as: UInt64.self) }
    return body(&encoded)
  }
}
