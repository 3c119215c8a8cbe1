import CrashReportModel
import CrashReportReading

extension StreamLines.Line {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The report of a line, or the reason why it has no report; `nil` for a blank line.
  var report: Result<CrashReport, ReadingError>? {
    guard case .bytes(let bytes) = content else {
      let limit = StreamLines.longestLine >> 20
      return .failure(ReadingError(.notAReport, "a line of more than \(limit) MiB"))
    }
    var text = bytes[...]
    if text.starts(with: Self.byteOrderMark) { text = text.dropFirst(Self.byteOrderMark.count) }
    while let last = text.last, Self.isBlank(last) { text.removeLast() }
    text = text.drop(while: Self.isBlank)
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

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}
