import CCrashCapture
import Synchronization

extension CrashKit {
  /// A trace, and the span in it that is under way, as W3C Trace Context has them.
  public struct Trace: Sendable, Hashable {
    private let trace: UInt128
    private let span: UInt64

    /// 32 hexadecimal digits in lower case.
    public var traceId: String { hexadecimal(trace) }
    /// 16 hexadecimal digits in lower case.
    public var spanId: String { hexadecimal(span) }

    /// Makes a trace of its ids; `nil` unless they are hexadecimal, have 32 and 16 digits, and are not all zeros.
    public init?(traceId: some StringProtocol, spanId: some StringProtocol) {
      self.init(traceDigits: traceId.utf8, spanDigits: spanId.utf8)
    }

    /// Reads the value of the header `traceparent`; `nil` if it is none.
    public init?(traceparent: String) {
      let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
      // Version ff is none, and only versions after 00 may have more parts.
      guard parts.count >= 4, let version: UInt8 = number(parts[0]), version != 0xff,
        parts.count == 4 || version != 0, let _: UInt8 = number(parts[3])
      else { return nil }
      self.init(traceDigits: parts[1], spanDigits: parts[2])
    }

    private init?(traceDigits: some Collection<UInt8>, spanDigits: some Collection<UInt8>) {
      guard let trace: UInt128 = number(traceDigits), trace != 0, let span: UInt64 = number(spanDigits), span != 0
      else { return nil }
      self.trace = trace
      self.span = span
    }

    /// The ids as the crash handler reads them.
    func withEncoded<Result>(_ body: (UnsafePointer<ck_trace>) -> Result) -> Result {
      var encoded = ck_trace()
      withUnsafeMutableBytes(of: &encoded.trace_id) { $0.storeBytes(of: trace.bigEndian, as: UInt128.self) }
      withUnsafeMutableBytes(of: &encoded.span_id) { $0.storeBytes(of: span.bigEndian, as: UInt64.self) }
      return body(&encoded)
    }
  }

  /// Says in which trace the calling task is; CrashKitTracing sets it.
  package static let traceSource = Mutex<(@Sendable () -> Trace?)?>(nil)
}

/// The number that is written with all its hexadecimal digits, leading zeros included.
private func number<Number: FixedWidthInteger & UnsignedInteger>(_ digits: some Collection<UInt8>) -> Number? {
  guard digits.count == Number.bitWidth / 4 else { return nil }
  var number: Number = 0
  for byte in digits {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | Number(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | Number(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): number = number << 4 | Number(byte - UInt8(ascii: "A") + 10)
    default: return nil
    }
  }
  return number
}

/// All hexadecimal digits of the number, leading zeros included.
private func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: Number.bitWidth / 4 - digits.utf8.count) + digits
}
