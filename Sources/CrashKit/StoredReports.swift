import CrashReportModel
import Glibc
import LinuxCalls
import PreviousRuns

/// The files of stored reports. Several processes may use one folder: all changes are single renames and removals.
struct StoredReports: Sendable {
  /// The size of the largest file that can be a report, in bytes.
  static let largestFile = 64 << 20
  /// At most this many reports are listed.
  private static let most = 1000

  private let directory: ReportDirectory

  init(_ directory: ReportDirectory) {
    self.directory = directory
  }

  /// The reports in these states, newest first, and a line for each file that was skipped.
  func list(_ states: [CrashKit.StoredReport.State]) -> (reports: [CrashKit.StoredReport], notes: [String]) {
    var reports: [CrashKit.StoredReport] = []
    var notes: [String] = []
    for state in states {
      let folder = CrashKit.StoredReport.folder(of: state)
      let texts = directory.names(in: folder ?? ".") { ReportName($0) != nil }
      let names = texts.compactMap { text in
        ReportName(text).map { (text: text, parts: $0) }
      }
      for name in names.sorted(by: { $0.text > $1.text }).prefix(Self.most) {
        do throws(Skipped) {
          reports.append(try read(name.text, name.parts, state))
        } catch {
          notes.append("skipped \(folder.map { "\($0)/" } ?? "")\(name.text): \(error.reason)")
        }
      }
    }
    reports.sort { $0.name > $1.name }
    return (Array(reports.prefix(Self.most)), notes)
  }

  /// Moves a report to the folder of a state; `false` if it is not where it was.
  func move(_ report: CrashKit.StoredReport, to state: CrashKit.StoredReport.State) throws(SystemError) -> Bool {
    guard let folder = CrashKit.StoredReport.folder(of: state), report.state != state else { return false }
    try directory.makeFolder(folder)
    do throws(SystemError) {
      try directory.rename(report.relativePath, to: "\(folder)/\(report.name)")
    } catch {
      guard error.code == ENOENT || error.code == EEXIST else { throw error }
      return false
    }
    try? directory.remove(HandOver.attemptsName(report.name))
    return true
  }

  /// Removes a report; `false` if it is gone.
  func remove(_ report: CrashKit.StoredReport) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try directory.remove(report.relativePath)
    } catch {
      guard error.code == ENOENT else { throw error }
      return false
    }
    try? directory.remove(HandOver.attemptsName(report.name))
    return true
  }

  private struct Skipped: Error {
    var reason: String
  }

  private func read(
    _ name: String, _ parts: ReportName, _ state: CrashKit.StoredReport.State
  ) throws(Skipped) -> CrashKit.StoredReport {
    let path = CrashKit.StoredReport.folder(of: state).map { "\($0)/\(name)" } ?? name
    let file: OpenFile
    do throws(SystemError) {
      file = try directory.open(path)
    } catch {
      throw Skipped(reason: error.code == EINVAL ? "not a regular file" : errorText(error.code))
    }
    let size = Int(file.status.st_size)
    guard size <= Self.largestFile else { throw Skipped(reason: "\(size) bytes are too many for a report") }
    guard let head = StoredHead.read(file) else { throw Skipped(reason: "not a report") }
    return CrashKit.StoredReport(
      name: name, directory: directory.path, state: state,
      secondsSince1970: Double(parts.time.microseconds) / 1_000_000, kind: parts.kind, pid: parts.pid, size: size,
      signal: head.report.signal?.name, cause: head.report.cause)
  }
}
