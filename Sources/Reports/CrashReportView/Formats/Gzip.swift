import CrashReportModel

/// A gzip file (RFC 1952) whose content is stored as it is: the format asks for the wrapping, and profiles are small.
enum Gzip {
  /// The most that a stored block holds (RFC 1951).
  private static let largestBlock = 0xFFFF

  static func stored(_ content: [UInt8]) -> [UInt8] {
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var rest = content[...]
    repeat {
      let block = rest.prefix(largestBlock)
      rest = rest.dropFirst(largestBlock)
      file.append(rest.isEmpty ? 1 : 0)
      file += littleEndian(block.count, bytes: 2) + littleEndian(~block.count & 0xFFFF, bytes: 2) + block
    } while !rest.isEmpty
    return file + littleEndian(Int(CRC32.checksum(content)), bytes: 4)
      + littleEndian(content.count & 0xFFFF_FFFF, bytes: 4)
  }

  private static func littleEndian(_ number: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(number >> (8 * $0) & 0xFF) }
  }
}
