/// A line of `/proc/PID/maps`.
struct MappingLine {
  var start: UInt64
  var end: UInt64
  var isReadable: Bool
  var isWritable: Bool
  var isExecutable: Bool
  var isPrivate: Bool
  var fileOffset: UInt64
  /// The number of its file; 0 for none.
  var inode: UInt64
  /// A path, a name in brackets, or nothing.
  var name: String

  var isFile: Bool { name.hasPrefix("/") }
  var size: UInt64 { end - start }

  /// The lines of proc(5): address, permissions, offset, device, inode, name.
  static func all(in text: [UInt8]) -> [MappingLine] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { MappingLine($0) }
  }

  private init?(_ line: ArraySlice<UInt8>) {
    let blank = UInt8(ascii: " ")
    let fields = line.split(separator: blank, maxSplits: 5)
    guard fields.count >= 5, fields[1].count == 4, let dash = fields[0].firstIndex(of: UInt8(ascii: "-")),
      let start = Self.number(fields[0][..<dash]), let end = Self.number(fields[0][(dash + 1)...]), start < end,
      let offset = Self.number(fields[2]), let inode = UInt64(String(decoding: fields[4], as: UTF8.self))
    else { return nil }
    let letters = Array(fields[1])
    (self.start, self.end, fileOffset, self.inode) = (start, end, offset, inode)
    isReadable = letters[0] == UInt8(ascii: "r")
    isWritable = letters[1] == UInt8(ascii: "w")
    isExecutable = letters[2] == UInt8(ascii: "x")
    isPrivate = letters[3] == UInt8(ascii: "p")
    name = fields.count == 6 ? String(systemBytes: fields[5].drop { $0 == blank }) : ""
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return digits.isEmpty || digits.count > 16 ? nil : value
  }
}
