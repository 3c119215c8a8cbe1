import CrashReportModel

/// Finds reports in JSON in a file or a log.
enum JSONReports {
  /// Keys that either writer puts first, or that a rewritten report may start with.
  private static let keys = [
    "schema", "timestamp", "kind", "description", "signal", "faultAddress", "cause", "causeCode", "message", "platform",
    "architecture", "process", "application", "images", "threads",
  ].map { Array($0.utf8) }

  /// For each byte, whether a key begins with it.
  private static let firstBytes = (0...255).map { byte in keys.contains { $0[0] == byte } }

  static func find(in bytes: UnsafeRawBufferPointer) throws(ReadingError) -> [FoundReport] {
    var found: [FoundReport] = []
    var position = 0
    let firstByte = offsetOfText(in: bytes)
    // Braces of other JSON in a log are tried again inside after a failure; this bounds the work on hostile input.
    var budget = 4 * bytes.count + 1024
    var endOfLast = 0
    while let start = nextCandidate(in: bytes, from: position, orAt: firstByte) {
      let isWholeInput = start == firstByte
      let outcome: JSONParser.Outcome
      do throws(JSONParser.Failure) {
        outcome = try JSONParser.parse(bytes, at: start)
      } catch {
        if isWholeInput { throw ReadingError(.notAReport, error.words) }
        position = error.offset
        continue
      }
      budget -= outcome.end - start
      guard budget > 0 else { throw ReadingError(.notAReport, "not a report: too many broken pieces of JSON") }
      var report = CrashReport(fields: outcome.object)
      if report.isRecognised {
        report.message = report.message ?? fatalError(in: bytes, after: endOfLast, before: start)
        endOfLast = outcome.end
        found.append(FoundReport(report: report.notingCut(outcome.cut), offset: start))
        position = outcome.end
      } else if outcome.cut == nil {
        found += reports(inside: outcome.object).map { FoundReport(report: $0, offset: start) }
        position = outcome.end
      } else {
        position = start + 1
      }
    }
    return found
  }

  /// Our reports inside other JSON, such as the line of `output=json-line`, or what a log service made of it. Only
  /// `schema` counts there: other JSON may well have a time and a kind.
  static func reports(inside object: JSONObject) -> [CrashReport] {
    object.members.flatMap { member in reports(in: member.value) }
  }

  private static func reports(in value: JSONValue) -> [CrashReport] {
    switch value {
    case .object(let object):
      let report = CrashReport(fields: object)
      return report.schema?.hasPrefix("crashkit/") == true ? [report] : reports(inside: object)
    case .array(let values): return values.flatMap(reports(in:))
    default: return []
    }
  }

  /// The next `{` that a report could start with: one before a known key, or the one that the input starts with.
  /// Quotes are looked for rather than braces: a long run of braces then costs no more than its bytes.
  private static func nextCandidate(in bytes: UnsafeRawBufferPointer, from start: Int, orAt first: Int) -> Int? {
    if start <= first, first < bytes.count, bytes[first] == UInt8(ascii: "{") { return first }
    var position = start
    while let quote = bytes.firstIndex(of: UInt8(ascii: "\""), from: position) {
      if startsWithKey(bytes, at: quote + 1) {
        var before = quote - 1
        while before > start, isSpace(bytes[before]) { before -= 1 }
        if before >= start, bytes[before] == UInt8(ascii: "{") { return before }
      }
      position = quote + 1
    }
    return nil
  }

  /// What Swift's runtime printed of a fatal error just before its log, which does not hold it. What lies before `first`
  /// belongs to an earlier report.
  static func fatalError(in bytes: UnsafeRawBufferPointer, after first: Int = 0, before end: Int) -> String? {
    let near = UnsafeRawBufferPointer(rebasing: bytes[max(first, end - 4096)..<end])
    return near.lastLine(with: "Fatal error").map { String(decoding: near[$0.text..<$0.end], as: UTF8.self) }
  }

  private static func startsWithKey(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard start < bytes.count, firstBytes[Int(bytes[start])] else { return false }
    return keys.contains { key in
      let end = start + key.count
      guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return false }
      return bytes[start..<end].elementsEqual(key)
    }
  }

  /// The offset of the first byte that is not blank; a byte-order mark is as good as nothing.
  private static func offsetOfText(in bytes: UnsafeRawBufferPointer) -> Int {
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    return position
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension CrashReport {
  func notingCut(_ cut: JSONParser.Cut?) -> CrashReport {
    guard let cut else { return self }
    var report = self
    let place = cut.path.isEmpty ? "" : ", in \(cut.path)"
    let what = cut.isEndOfInput ? "it ends" : "it is damaged"
    report.noteCut("report", "\(what) after \(counted(cut.offset, "byte"))\(place)")
    return report
  }
}

extension JSONParser.Failure {
  var offset: Int {
    switch self {
    case .notAnObject(let offset): offset + 1
    case .tooDeep(let offset, _), .tooManyValues(let offset, _): offset
    }
  }

  var words: String {
    switch self {
    case .notAnObject: "not a report"
    case .tooDeep(let offset, let limit): "not a report: nested deeper than \(limit) levels at byte \(offset)"
    case .tooManyValues(let offset, let limit): "more than \(limit) values, at byte \(offset)"
    }
  }
}
