import CrashReportModel

/// Finds reports that a log collector wrote as a string into its own JSON record: `{"log":"{\"schema\":…}\n"}`.
enum EscapedReports {
  private static let mark: StaticString = "{\\\""

  static func find(in bytes: UnsafeRawBufferPointer) -> [FoundReport] {
    var found: [FoundReport] = []
    var position = 0
    while let start = bytes.firstIndex(of: mark, from: position) {
      // One record is one line, so each is looked at once.
      let end = bytes.firstIndex(of: 0x0A, from: start) ?? bytes.count
      if let report = report(in: bytes[start..<end]) { found.append(FoundReport(report: report, offset: start)) }
      position = end
    }
    return found
  }

  /// Reads the rest of the string as the parser reads any, and what it holds as a report.
  private static func report(in rest: Slice<UnsafeRawBufferPointer>) -> CrashReport? {
    guard let text = string(rest) ?? string(closed(rest)), let inner = try? JSONParser.parse(Array(text.utf8)) else {
      return nil
    }
    let report = CrashReport(fields: inner.object)
    return report.isRecognised ? report.notingCut(inner.cut) : JSONReports.reports(inside: inner.object).first
  }

  private static func string(_ rest: some Sequence<UInt8>) -> String? {
    guard let record = try? JSONParser.parse(Array(#"{"log":""#.utf8) + rest) else { return nil }
    guard case .string(let text)? = record.object["log"] else { return nil }
    return text
  }

  /// A string that was cut, ended before the escape that the cut may have gone through.
  private static func closed(_ rest: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    let tail = rest.suffix(6)
    let end = tail.firstIndex(of: UInt8(ascii: "\\")) ?? tail.endIndex
    return rest[..<end] + [UInt8(ascii: "\"")]
  }
}
