import Glibc

/// A part of the text of one of the kernel's files, taken apart where it lies. It must not outlive the call that it was
/// handed to.
struct KernelText {
  private var start: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>

  init(_ start: UnsafePointer<UInt8>, count: Int) {
    self.start = start
    end = start + count
  }

  private init(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    self.start = start
    self.end = end
  }

  var isEmpty: Bool { start == end }

  /// Takes off the next line that is not empty; `nil` at the end.
  mutating func line() -> KernelText? {
    while start < end, start.pointee == UInt8(ascii: "\n") { start += 1 }
    guard start < end else { return nil }
    return part(to: end(of: UInt8(ascii: "\n")))
  }

  /// Removes the next word and returns it. White space separates words. `nil` at the end.
  mutating func word() -> KernelText? {
    while start < end, Self.isSpace(start.pointee) { start += 1 }
    guard start < end else { return nil }
    var stop = start
    while stop < end, !Self.isSpace(stop.pointee) { stop += 1 }
    return part(to: stop)
  }

  /// Removes and returns the text before the next `byte`, and also removes that byte; `nil` if the byte is not there.
  mutating func part(before byte: UInt8) -> KernelText? {
    let stop = end(of: byte)
    guard stop < end else { return nil }
    defer { start += 1 }
    return part(to: stop)
  }

  /// The text after the last `byte`; `nil` if the byte is not there.
  func behindLast(_ byte: UInt8) -> KernelText? {
    var stop = end
    while stop > start {
      stop -= 1
      if stop.pointee == byte { return KernelText(stop + 1, end) }
    }
    return nil
  }

  /// The text after a prefix; `nil` if the text does not begin with it.
  func behind(_ prefix: StaticString) -> KernelText? {
    let count = prefix.utf8CodeUnitCount
    guard end - start >= count, memcmp(start, prefix.utf8Start, count) == 0 else { return nil }
    return KernelText(start + count, end)
  }

  /// The text without the white space around it.
  var trimmed: KernelText {
    var (first, last) = (start, end)
    while first < last, Self.isSpace(first.pointee) { first += 1 }
    while last > first, Self.isSpace((last - 1).pointee) { last -= 1 }
    return KernelText(first, last)
  }

  static func == (text: KernelText, other: StaticString) -> Bool {
    text.behind(other).map(\.isEmpty) ?? false
  }

  /// The whole text as a number; `nil` if it is not a number, or does not fit.
  var number: UInt64? {
    guard start < end else { return nil }
    var number: UInt64 = 0
    for byte in bytes {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (tens, isTooMuch) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !isTooMuch, !overflows else { return nil }
      number = sum
    }
    return number
  }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: end - start) }

  var string: String { String(decoding: bytes, as: UTF8.self) }

  private func end(of byte: UInt8) -> UnsafePointer<UInt8> {
    guard let found = memchr(start, Int32(byte), end - start) else { return end }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
  }

  private mutating func part(to stop: UnsafePointer<UInt8>) -> KernelText {
    defer { start = stop }
    return KernelText(start, stop)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}
