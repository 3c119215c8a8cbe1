import CrashReportModel
import CrashReportReading
import ReportSymbolication
import Symbolication
import Synchronization

/// Reads a variant's reports and symbolicates them: all of one build, so that what is decoded for one serves the others.
final class EvidenceReader: Sendable {
  private let symbolicator = ReportSymbolicator(Symbolicator(options: .init()))
  /// Paths of reports that were read. That of a hang is written anew under its name when the hang is over.
  private let known = Mutex<[String: VerifiedReport]>([:])

  func read(_ folder: VariantFolder) -> [FoundReport] {
    folder.reportPaths().map { path in
      if let report = known.withLock({ $0[path] }) { return FoundReport(path: path, report) }
      let verified: VerifiedReport
      do throws(ReadingError) {
        verified = symbolicator.verified(try ReportReader.read(path).first ?? CrashReport())
      } catch {
        // Not left out: a report that cannot be read is a mistake, and must be seen as one.
        var unread = CrashReport()
        unread.description = "this report cannot be read: \(error.what)"
        return FoundReport(path: path, report: unread)
      }
      if verified.report.hang == nil { known.withLock { $0[path] = verified } }
      return FoundReport(path: path, verified)
    }
  }
}
