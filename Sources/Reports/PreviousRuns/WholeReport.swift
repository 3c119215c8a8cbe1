import Glibc

extension OpenFile {
  private static let pieceSize = 1 << 16
  /// No report is so large.
  private static let largestReport = 1 << 28

  /// Whether the file has one complete JSON object. A full disk may cut a report after any of its braces.
  var holdsWholeReport: Bool {
    guard status.st_size <= Self.largestReport else { return false }
    var balance = BraceBalance()
    var offset: off_t = 0
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = pread(descriptor, &piece, piece.count, offset)
      guard count > 0 else { return count == 0 && balance.isWhole }
      for byte in piece[..<count] { balance.add(byte) }
      offset += off_t(count)
    }
  }
}

/// Counts the braces of a JSON object outside of its strings.
private struct BraceBalance {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private(set) var isWhole = false

  mutating func add(_ byte: UInt8) {
    switch byte {
    case _ where isEscaped: isEscaped = false
    case UInt8(ascii: "\\") where isInString: isEscaped = true
    case UInt8(ascii: "\""): isInString.toggle()
    case _ where isInString: break
    case UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: "}"):
      depth -= 1
      isWhole = depth == 0
    default: break
    }
  }
}
