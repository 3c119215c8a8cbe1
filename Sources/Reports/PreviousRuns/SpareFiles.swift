import CrashReportModel
import Glibc

/// Reports in files that were made before their process gave up its user: `PID-INSTANCE.spare`.
///
/// Such a process cannot rename its report. A process that may write to the folder gives it a report's name.
struct SpareFiles {
  static let suffix = ".spare"

  let directory: ReportDirectory

  /// Gives final names to the reports whose process has ended or has finished them, and removes files without a report.
  ///
  /// - Returns: The errors, one line for each.
  func takeIn() -> [String] {
    var notes: [String] = []
    for name in directory.names(where: { $0.hasSuffix(Self.suffix) }).sorted() {
      guard let file = try? directory.open(name), file.lock(), file.isStill(name, in: directory) else { continue }
      do throws(SystemError) {
        if file.status.st_size == 0 { try directory.remove(name) } else { try rename(file, name) }
      } catch {
        notes.append("the report in \(name) cannot be renamed: \(error)")
      }
    }
    return notes
  }

  private func rename(_ file: OpenFile, _ name: String) throws(SystemError) {
    let pid = name.prefix { $0 != "-" }
    guard let pid = Int32(pid), pid > 0 else { throw SystemError(name, code: EINVAL) }
    let time = StoredHead.read(file)?.report.timestamp ?? Timestamp(microsecondsSince1970: changeTime(of: file))
    let ending = file.holdsWholeReport ? "" : ReportName.partialSuffix
    // Of two processes with one pid, in two containers, both may have crashed in the same millisecond.
    for later in 0..<1000 {
      let time = Timestamp(microsecondsSince1970: time.microseconds + Int64(later) * 1000)
      let report = ReportName(time: time, pid: pid, kind: CrashReport.Kind.crashReport.rawValue).text
      do throws(SystemError) {
        return try directory.rename(name, to: report + ending)
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    throw SystemError(name, code: EEXIST)
  }

  private func changeTime(of file: OpenFile) -> Int64 {
    let seconds = Int64(file.status.st_mtim.tv_sec)
    // A process that may write the file may give it any time that an integer holds.
    return min(max(0, seconds), Int64.max / 2_000_000) * 1_000_000
  }
}
