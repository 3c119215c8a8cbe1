import CrashReportModel

/// Puts reports together from numbered `crashkit-report` lines, which containers leave in their log.
///
/// Any text may be before the word. Lines of other programs or other reports may be between them, and lines may occur
/// twice.
enum NumberedLines {
  private static let word: StaticString = "crashkit-report "

  static func find(in bytes: UnsafeRawBufferPointer) -> [FoundReport] {
    var reports: [String: Pieces] = [:]
    var position = 0
    while let start = bytes.firstIndex(of: word, from: position) {
      position = start + word.utf8CodeUnitCount
      // Identifier, number and 768 characters fit in this; `\/` for `/` may double the latter.
      let line = bytes.line(from: position, limit: 2048)
      guard let piece = parse(line) else { continue }
      reports[piece.id, default: Pieces(offset: start)].take(piece)
    }
    var found: [FoundReport] = []
    for (id, pieces) in reports {
      guard let report = pieces.report() else { continue }
      let pid = id.split(separator: "-").last.flatMap { Int($0) }
      found.append(FoundReport(report: report, offset: pieces.offset, pid: pid))
    }
    return found
  }

  struct Piece {
    enum Content {
      case chunk(number: Int, [UInt8])
      case end(count: Int, checksum: UInt32)
    }
    var id: String
    var content: Content
  }

  static func parse(_ line: String) -> Piece? {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
    guard words.count >= 3, isIdentifier(words[0]) else { return nil }
    let id = String(words[0])
    if words[1] == "end" {
      guard words.count == 4, let count = Int(words[2]), count >= 0 else { return nil }
      let digits = words[3].prefix { $0.isHexDigit }
      guard digits.count == 8, let checksum = UInt32(digits, radix: 16) else { return nil }
      return Piece(id: id, content: .end(count: count, checksum: checksum))
    }
    guard let number = Int(words[1]), number > 0, let chunk = Base64.decode(words[2].utf8) else { return nil }
    return Piece(id: id, content: .chunk(number: number, chunk))
  }

  /// Eight hexadecimal digits, a hyphen and a process id.
  private static func isIdentifier(_ text: Substring) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count == 8 && parts[0].allSatisfy(\.isHexDigit) && Int(parts[1]) != nil
  }
}

/// The lines of one report.
private struct Pieces {
  /// Where its first line starts.
  let offset: Int
  private var chunks: [Int: [UInt8]] = [:]
  private var end: (count: Int, checksum: UInt32)?

  init(offset: Int) { self.offset = offset }

  mutating func take(_ piece: NumberedLines.Piece) {
    switch piece.content {
    case .chunk(let number, let bytes): if chunks[number] == nil { chunks[number] = bytes }
    case .end(let count, let checksum): end = (count, checksum)
    }
  }

  /// The report up to the first missing line; `nil` if that is not enough to recognise one.
  func report() -> CrashReport? {
    var bytes: [UInt8] = []
    var next = 1
    while let chunk = chunks[next] {
      bytes += chunk
      next += 1
    }
    let outcome: JSONParser.Outcome
    do {
      outcome = try JSONParser.parse(bytes)
    } catch {
      return nil
    }
    var report = CrashReport(fields: outcome.object)
    guard report.isRecognised else { return nil }
    let isWhole = outcome.cut == nil
    if let end, next <= end.count {
      report.noteCut("report", "line \(next) of \(end.count) is missing")
    } else if end == nil, !isWhole {
      report.noteCut("report", "the log has the report only up to line \(next - 1)")
    } else if let end, end.checksum != CRC32.checksum(bytes) {
      report.noteCut("report", "its checksum is wrong: the log changed it")
    } else {
      report = report.notingCut(outcome.cut)
    }
    return report
  }
}
