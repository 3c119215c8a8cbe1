extension CrashKit {
  /// A trace and its current span, as defined by W3C Trace Context.
  public struct Trace: Sendable, Hashable {
    let high, low, span: UInt64

    /// The trace's id: 32 hexadecimal digits in lower case.
    public var traceId: String { hexadecimal(high, low) }
    /// The span's id: 16 hexadecimal digits in lower case.
    public var spanId: String { hexadecimal(span) }

    /// Makes a trace from its ids. `traceId` must have 32 hexadecimal digits in lower case, and `spanId` 16. Returns
    /// `nil` if an id has another form, or if all its digits are zeros.
    public init?(traceId: some StringProtocol, spanId: some StringProtocol) {
      self.init(Array(traceId.utf8)[...], Array(spanId.utf8)[...])
    }

    /// Reads the value of the header `traceparent`; returns `nil` if the value is not valid.
    public init?(traceparent: String) {
      var value = traceparent
      guard let trace = value.withUTF8({ Trace(header: $0) }) else { return nil }
      self = trace
    }

    private init?(header bytes: UnsafeBufferPointer<UInt8>) {
      let dash = UInt8(ascii: "-")
      // The standard forbids version ff, and lets only versions after 00 have more parts.
      guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
        let version = number(bytes[0..<2]), version != 0xff, number(bytes[53..<55]) != nil,
        bytes.count == 55 || version != 0 && bytes[55] == dash
      else { return nil }
      self.init(bytes[3..<35], bytes[36..<52])
    }

    private init?<Digits: RandomAccessCollection<UInt8>>(_ trace: Digits, _ span: Digits)
    where Digits.SubSequence: Collection<UInt8> {
      guard trace.count == 32, span.count == 16, let high = number(trace.prefix(16)),
        let low = number(trace.suffix(16)), let span = number(span), high | low != 0, span != 0
      else { return nil }
      (self.high, self.low, self.span) = (high, low, span)
    }
  }
}

/// The number that at most 16 hexadecimal digits write.
private func number(_ digits: some Sequence<UInt8>) -> UInt64? {
  var number: UInt64 = 0
  for byte in digits {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): number = number << 4 | UInt64(byte - UInt8(ascii: "A") + 10)
    default: return nil
    }
  }
  return number
}

/// All hexadecimal digits of the numbers, leading zeros included.
private func hexadecimal(_ numbers: UInt64...) -> String {
  String(unsafeUninitializedCapacity: numbers.count * 16) { buffer in
    for index in 0..<numbers.count * 16 {
      let digit = UInt8(truncatingIfNeeded: numbers[index / 16] >> UInt64(60 - index % 16 * 4) & 15)
      buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
    return numbers.count * 16
  }
}
