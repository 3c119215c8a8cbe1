import Glibc

/// Text that the kernel knows as bytes: paths, arguments, environment variables.
///
/// The bytes need not be UTF-8. A byte that belongs to no UTF-8 sequence becomes one character: U+10FF00 plus the byte.
/// At the system call it turns back into that byte. Bytes that spell such a character already are taken one by one, so
/// no byte is lost. On a terminal these characters are hazards: see HarmlessText.swift.
extension String {
  /// Makes a text from the kernel's bytes.
  public init(systemBytes bytes: some Sequence<UInt8>) {
    self =
      bytes.withContiguousStorageIfAvailable { ForeignBytes.text(of: $0) }
      ?? Array(bytes).withUnsafeBufferPointer { ForeignBytes.text(of: $0) }
  }

  /// Makes a text from the kernel's bytes up to the first zero.
  public init(systemText text: UnsafePointer<CChar>) {
    let count = strlen(text)
    self = text.withMemoryRebound(to: UInt8.self, capacity: count) {
      ForeignBytes.text(of: UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// The bytes for the kernel.
  public var systemBytes: [UInt8] {
    var copy = self
    return copy.withUTF8 { ForeignBytes.bytes(of: $0) }
  }

  /// The bytes for the kernel, with a zero after the last byte.
  public var systemText: [CChar] { (systemBytes + [0]).withUnsafeBytes { Array($0.bindMemory(to: CChar.self)) } }

  /// Calls a function with the bytes for the kernel, with a zero after the last byte.
  public func withSystemText<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    hasForeignBytes ? systemText.withUnsafeBufferPointer { body($0.baseAddress!) } : withCString(body)
  }

  /// The text for JSON and other programs: a byte that is not UTF-8 is shown as U+FFFD.
  public var withoutForeignBytes: String {
    hasForeignBytes ? String(decoding: systemBytes, as: UTF8.self) : self
  }

  /// Whether there may be a character that stands for a byte.
  private var hasForeignBytes: Bool {
    var copy = self
    return copy.withUTF8 { ForeignBytes.mayBe(in: $0) }
  }
}

/// The two directions. They work on plain memory: a command line has up to two million bytes.
private enum ForeignBytes {
  /// How the UTF-8 of a character that stands for a byte begins: U+10FF80 to U+10FFBF, U+10FFC0 to U+10FFFF.
  private static let (first, second, lowThird, highThird) = (0xF4 as UInt8, 0x8F as UInt8, 0xBE as UInt8, 0xBF as UInt8)

  static func mayBe(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    !bytes.isEmpty && memchr(bytes.baseAddress!, Int32(first), bytes.count) != nil
  }

  static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    if !mayBe(in: bytes), let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(unsafeUninitializedCapacity: 4 * bytes.count) { result in
      var (index, count) = (0, 0)
      while index < bytes.count {
        let length = sequence(bytes, at: index)
        if length == 0 || standsForByte(bytes, at: index) {
          let byte = bytes[index]
          result[count] = first
          result[count + 1] = second
          result[count + 2] = byte < 0xC0 ? lowThird : highThird
          result[count + 3] = 0x80 | byte & 0x3F
          (index, count) = (index + 1, count + 4)
        } else {
          for offset in 0..<length { result[count + offset] = bytes[index + offset] }
          (index, count) = (index + length, count + length)
        }
      }
      return count
    }
  }

  static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard mayBe(in: text) else { return Array(text) }
    return [UInt8](unsafeUninitializedCapacity: text.count) { result, count in
      var index = 0
      while index < text.count {
        if standsForByte(text, at: index) {
          // The third byte says which half of 0x80...0xFF, the fourth which of the 64 bytes in it.
          result[count] = (text[index + 2] == lowThird ? 0x80 : 0xC0) | text[index + 3] & 0x3F
          index += 4
        } else {
          result[count] = text[index]
          index += 1
        }
        count += 1
      }
    }
  }

  private static func standsForByte(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    bytes[index] == first && index + 3 < bytes.count && bytes[index + 1] == second
      && (bytes[index + 2] == lowThird || bytes[index + 2] == highThird) && bytes[index + 3] & 0xC0 == 0x80
  }

  /// The length of the well-formed sequence there, 0 if there is none (Unicode 15, table 3-7).
  private static func sequence(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let byte = bytes[index]
    if byte < 0x80 { return 1 }
    let length = byte < 0xC2 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0
    guard length > 0, index + length <= bytes.count else { return 0 }
    let lowest: UInt8 = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80
    let highest: UInt8 = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF
    guard bytes[index + 1] >= lowest, bytes[index + 1] <= highest else { return 0 }
    for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
