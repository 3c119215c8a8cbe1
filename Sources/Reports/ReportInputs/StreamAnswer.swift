import CrashReportModel
import CrashReportReading
import LinuxCalls
import ReportSymbolication

/// The answer of `crashsym stream` for one place of its input.
public enum StreamAnswer: Sendable {
  /// The line of a report, with its end.
  case report([UInt8])
  /// The line that says why there is no report, with its end.
  case bad([UInt8])
  /// Standard input cannot be read further.
  case ended(ReadingError)

  /// Makes the answer for a place. If a report was read there, symbolicates it.
  public init(
    _ place: ReportFeed.Place, _ found: Result<CrashReport, ReadingError>, _ symbolicator: ReportSymbolicator,
    scrubs: Bool
  ) {
    switch found {
    case .success(let report):
      let report = symbolicator.symbolicate(report)
      self = .report(Self.line(scrubs ? report.scrubbed() : report))
    case .failure(let error):
      if place.file == nil, place.line == nil {
        self = .ended(error)
        return
      }
      var reason = JSONObject()
      reason["source"] = place.file?.withoutForeignBytes.json
      reason["line"] = place.line?.json
      reason["reason"] = error.what.json
      var object = JSONObject()
      object["error"] = reason.json
      self = .bad(Self.line(object))
    }
  }

  private static func line(_ report: CrashReport) -> [UInt8] { report.json.utf8 + [UInt8(ascii: "\n")] }

  private static func line(_ object: JSONObject) -> [UInt8] { object.json.utf8 + [UInt8(ascii: "\n")] }
}
