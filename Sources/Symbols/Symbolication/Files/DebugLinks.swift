/// `.gnu_debuglink`: the name of the file with the debug information, and its CRC.
struct DebugLink {
  let name: String
  let checksum: UInt32

  init?(in file: ELFFile) {
    let section = file.section(".gnu_debuglink")
    guard let name = section.cString(at: 0), !name.isEmpty else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
    guard !self.name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    var cursor = ByteCursor(section, at: UInt64((name.count + 4) & ~3))
    checksum = cursor.u32()
    guard !cursor.hasFailed else { return nil }
  }
}

/// `.gnu_debugaltlink`: the name and the build ID of the file that dwz made for several.
struct AlternateLink {
  let name: String
  let buildID: [UInt8]

  init?(in file: ELFFile) {
    let section = file.section(".gnu_debugaltlink")
    guard let name = section.cString(at: 0), !name.isEmpty else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
    let rest = section.suffix(from: UInt64(name.count + 1)).prefix(64)
    guard !rest.isEmpty else { return nil }
    buildID = Array(UnsafeRawBufferPointer(start: rest.start, count: rest.count))
  }
}

extension ELFFile {
  var hasDebugInfo: Bool { hasSection(".debug_info") || hasSection(".zdebug_info") }

  /// The CRC-32 of the whole file, as debug links have it.
  var checksum: UInt32 {
    let bytes = contents
    var value: UInt32 = ~0
    CRC32.table.withUnsafeBufferPointer { table in
      for byte in UnsafeRawBufferPointer(start: bytes.start, count: bytes.count) {
        value = table[Int((value ^ UInt32(byte)) & 0xff)] ^ (value >> 8)
      }
    }
    return ~value
  }
}

private enum CRC32 {
  static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 != 0 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
  }
}
