import CrashReportModel

/// Reads what the Swift runtime's backtracer (6.x) prints for people, in colour or without, anywhere in a log.
///
/// Log collectors put the same number of words before each line, such as a moment and a container's name; lines of others
/// between are passed over.
enum SwiftBacktraceText {
  static let mark: StaticString = "Program crashed: "
  /// Lines in a row that are no part of a backtrace end it.
  private static let mostForeignLines = 1_000
  /// A longer text is cut.
  private static let longestLine = 16 << 10
  /// More backtraces than this in one log are not read.
  private static let maximumBacktraces = 10_000

  static func find(in bytes: UnsafeRawBufferPointer) -> [FoundReport] {
    var found: [FoundReport] = []
    var position = 0
    while let hit = bytes.firstIndex(of: mark, from: position), found.count < maximumBacktraces {
      // A mark that ends its line is no headline.
      let end = hit + mark.utf8CodeUnitCount
      if end < bytes.count, bytes[end] == 0x0A {
        position = end
        continue
      }
      let start = bytes.startOfLine(before: hit, limit: longestLine)
      // The marks that follow in the same line are part of what is read here.
      let most = min(start + 2 * longestLine, bytes.count)
      let lineEnd = UnsafeRawBufferPointer(rebasing: bytes[..<most]).firstIndex(of: 0x0A, from: end)
      var line = LogLine(bytes.line(from: start, limit: 2 * longestLine))
      position = lineEnd ?? max(end, most - mark.utf8CodeUnitCount)
      guard let headline = SwiftBacktraceHeadline(&line) else { continue }
      // The line may hold the mark twice: what is printed first is overwritten in a terminal.
      position = bytes.firstIndex(of: 0x0A, from: position) ?? bytes.count
      var parser = SwiftBacktraceParser(headline, LogPrefix(line.words, before: headline.place))
      parser.report.message = JSONReports.fatalError(in: bytes, before: start)
      if parser.report.signal == nil { parser.readSignal(bytes, before: start) }
      var foreign = 0
      while position < bytes.count, foreign < mostForeignLines, !parser.isDone {
        let next = position + 1
        let text = bytes.line(from: next, limit: longestLine)
        if text.contains("Program crashed: ") { break }
        foreign = parser.take(LogLine(text)) ? 0 : foreign + 1
        position = bytes.firstIndex(of: 0x0A, from: next) ?? bytes.count
      }
      found.append(FoundReport(report: parser.finish(), offset: start))
    }
    return found
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first byte of the line that holds `offset`.
  fileprivate func startOfLine(before offset: Int, limit: Int) -> Int {
    var start = offset
    while start > 0, self[start - 1] != 0x0A, offset - start < limit { start -= 1 }
    return start
  }
}

/// A line of a log in words: without colours, and taken out of the JSON that some collectors put each line into.
struct LogLine {
  private(set) var words: [Substring] = []

  init(_ raw: String) {
    var text = raw
    if raw.hasPrefix("{"), let record = try? JSONParser.parse(Array(raw.utf8)),
      case .string(let inner)? = record.object["log"] ?? record.object["message"] ?? record.object["MESSAGE"]
    {
      text = inner
    }
    words = Self.withoutEscapes(text).split { $0 == " " || $0 == "\t" || $0.isNewline }
  }

  /// Takes the sequences of ECMA-48 out: a colour is `ESC [ … m`.
  private static func withoutEscapes(_ text: String) -> Substring {
    guard text.utf8.contains(0x1B) else { return text[...] }
    var result = String.UnicodeScalarView()
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      guard scalar == "\u{1B}" else {
        result.append(scalar)
        continue
      }
      guard scalars.first == "[" else { continue }
      scalars.removeFirst()
      while let part = scalars.popFirst(), !(0x40...0x7E).contains(part.value) {}
    }
    return String(result)[...]
  }
}

/// The words that a log has before each line.
struct LogPrefix {
  private let shape: [String]
  /// The moment in it, where it names one in full.
  let timestamp: Timestamp?

  init(_ words: [Substring], before count: Int) {
    shape = words.prefix(count).map(Self.shape)
    timestamp = words.prefix(count).lazy.compactMap { Timestamp(String($0)) }.first
  }

  /// The rest of a line, nil if it has another prefix: another program wrote it.
  func rest(of line: LogLine) -> ArraySlice<Substring>? {
    guard line.words.count >= shape.count, zip(line.words, shape).allSatisfy({ Self.shape($0) == $1 }) else {
      return nil
    }
    return line.words.dropFirst(shape.count)
  }

  /// Digits stand for any number, but for a process's.
  private static func shape(_ word: Substring) -> String {
    if word.contains("[") { return String(word) }
    var shape = ""
    for character in word where !(character.isNumber && shape.last == "0") {
      shape.append(character.isNumber ? "0" : character)
    }
    return shape
  }
}

/// `*** Program crashed: Bad pointer dereference at 0x0000000000000008 ***`, or in colour `💣 Program crashed: …`.
struct SwiftBacktraceHeadline {
  var description: String
  var faultAddress: Address?
  var signal: Int?
  /// How many words stand before it.
  var place: Int

  init?(_ line: inout LogLine) {
    let words = line.words
    let marks = words.indices.filter {
      $0 + 1 < words.count && words[$0].hasSuffix("Program") && words[$0 + 1] == "crashed:"
    }
    guard let last = marks.last, let first = marks.first else { return nil }
    // The stars or the bomb before the words are no part of the prefix.
    place = first > 0 && (words[first - 1] == "***" || words[first - 1].hasSuffix("\u{1F4A3}")) ? first - 1 : first
    var text = words[(last + 2)...]
    if text.last == "***" { text.removeLast() }
    if marks.count > 1, words[first + 2] == "Signal" { signal = Int(words[first + 3].prefix { $0.isNumber }) }
    guard !text.isEmpty, !text.contains("Backtracing") else { return nil }
    if text.count > 2, text[text.endIndex - 2] == "at", let address = Address(String(text.last ?? "")) {
      faultAddress = address
      text.removeLast(2)
    }
    description = text.joined(separator: " ")
  }
}
