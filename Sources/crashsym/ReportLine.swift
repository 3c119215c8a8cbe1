import CrashReportModel
import CrashReportReading
import ReportSymbolication

/// What becomes of one line of a stream.
struct ReportLine: Sendable {
  /// The line to write, with its end; nil for a blank one.
  var output: [UInt8]?
  /// Whether the line was no report.
  var isBad = false

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The report of a line, or why there is none; nil for a blank line.
  static func report(of line: StreamLines.Line) -> Result<CrashReport, ReadingError>? {
    guard case .bytes(let bytes) = line.content else {
      let limit = StreamLines.longestLine >> 20
      return .failure(ReadingError(.notAReport, "a line of more than \(limit) MiB"))
    }
    var text = bytes[...]
    if text.starts(with: byteOrderMark) { text = text.dropFirst(byteOrderMark.count) }
    while let last = text.last, last == 0x20 || (9...13).contains(last) { text.removeLast() }
    text = text.drop { $0 == 0x20 || (9...13).contains($0) }
    guard let first = text.first else { return nil }
    if let place = text.firstIndex(of: 0) {
      return .failure(ReadingError(.notAReport, "not a report: a NUL at byte \(place)"))
    }
    guard first == UInt8(ascii: "{") else { return .failure(ReadingError(.notAReport, "not a report: no JSON object")) }
    do throws(ReadingError) {
      let reports = try ReportReader.read(Array(text))
      guard reports.count == 1 else {
        return .failure(ReadingError(.notAReport, "\(reports.count) reports on one line"))
      }
      return .success(reports[0])
    } catch {
      return .failure(error)
    }
  }

  /// Symbolicates the report of a line.
  init(_ line: StreamLines.Line, _ symbolicator: ReportSymbolicator, scrubs: Bool) {
    switch Self.report(of: line) {
    case nil: output = nil
    case .success(let report):
      let report = symbolicator.symbolicate(report)
      var bytes = (scrubs ? report.scrubbed() : report).json.utf8
      bytes.append(UInt8(ascii: "\n"))
      output = bytes
    case .failure(let error):
      isBad = true
      var reason = JSONObject()
      reason["line"] = line.number.json
      reason["reason"] = error.what.json
      var object = JSONObject()
      object["error"] = reason.json
      output = object.json.utf8 + [UInt8(ascii: "\n")]
    }
  }
}
