import CrashReportModel
import Foundation
import Testing

@testable import ReportSymbolication

/// Fingerprints are stored and compared for years, so a report that exists keeps its own. `Corpus/reports.jsonl` holds
/// reports of before there were cause codes, each with the fingerprint that it had then.
@Suite struct StoredFingerprintTests {
  private struct Row {
    var fingerprint: String
    var eventClass: String
    var report: CrashReport
  }

  private static func rows() throws -> [Row] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/reports.jsonl")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      let row = try JSONParser.parse(Array(line.utf8)).object
      guard case .string(let fingerprint)? = row["fingerprint"], case .string(let eventClass)? = row["class"],
        case .object(let report)? = row["report"]
      else { throw CocoaError(.coderInvalidValue) }
      return Row(fingerprint: fingerprint, eventClass: eventClass, report: CrashReport(fields: report))
    }
  }

  /// As `crashsym` makes them, where the programs are gone.
  private static let symbolicator = ReportSymbolicator { addresses, _ in
    (addresses.map { _ in .init() }, .missing(buildID: nil, searched: []))
  }

  @Test func storedReportsKeepTheirFingerprint() throws {
    let rows = try Self.rows()
    #expect(rows.count > 140)
    for row in rows {
      let found = try #require(Self.symbolicator.symbolicate(row.report).fingerprint)
      #expect(found.value == row.fingerprint, "\(row.report.cause ?? "no cause")")
      #expect(found.eventClass == row.eventClass)
    }
  }

  /// The code decides, whatever the sentence says.
  @Test func codesCountInPlaceOfSentences() throws {
    for row in try Self.rows() {
      guard let code = row.report.knownCause else { continue }
      var report = row.report
      report.setCause(code, "in other words")
      #expect(Fingerprinting(report).fingerprint().value == row.fingerprint, "\(code.code)")
    }
  }

  /// Of all sentences that were ever written, only those of the compiler's checks have no row.
  @Test func everySentenceHasItsCode() throws {
    let unknown = try Self.rows().compactMap { $0.report.knownCause == nil ? $0.report.cause : nil }
    #expect(Set(unknown) == Self.compilersWords)
  }

  private static let compilersWords: Set = ["arithmetic overflow", "Index out of range"]
}
