import CrashReportModel

extension ReportSection {
  /// Sets a text that comes as bytes. What is not UTF-8 is shown as U+FFFD, with all its bytes in hexadecimal beside.
  mutating func set(_ key: String, bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    fields[key] = .string(text)
    guard !text.utf8.elementsEqual(bytes) else { return }
    fields[key + "Bytes"] = .string(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}

/// The first bytes of a C array.
func bytes<Array>(of array: Array, _ count: some BinaryInteger) -> [UInt8] {
  withUnsafeBytes(of: array) { [UInt8]($0.prefix(Int(count))) }
}
