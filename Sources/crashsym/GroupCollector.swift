import CrashReportModel
import CrashReportReading
import Glibc
import Linux
import ReportGrouping
import ReportSymbolication
import Synchronization

/// Reads many reports, a few at a time, and keeps of each what its group wants to know.
final class GroupCollector: Sendable {
  /// What came of one piece of the input.
  private enum Outcome: Sendable {
    case summary(ReportSummary)
    case skipped(String, ReadingError)
    /// Not within the time that was asked for.
    case tooOld
  }

  /// What is known so far.
  struct State: Sendable {
    var groups = ReportGroups()
    var tooOld = 0
    /// What was no report, with the reason: the first ones, and how many there are.
    var skipped: [(source: String, reason: String)] = []
    var skippedCount = 0
    /// The exit status of the first failure.
    var status: Int32 = 0
  }

  /// So many failures are kept.
  private static let mostSkipped = 1000

  private let symbolicator: ReportSymbolicator
  private let limit: TimeLimit?
  private let collected = Mutex(State())

  init(_ symbolicator: ReportSymbolicator, limit: TimeLimit?) {
    self.symbolicator = symbolicator
    self.limit = limit
  }

  var state: State { collected.withLock { $0 } }

  /// Reads all files and returns when all is done.
  func collect(_ files: ReportFiles) {
    for failure in files.failures { keep([.skipped(failure.path.withoutForeignBytes, failure.error)]) }
    let work = OrderedWork<[Outcome]>(width: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { self.keep($0) }
    var count = 0
    for (path, form) in files.files {
      switch form {
      case .whole:
        work.give(count) { self.readWhole(path) }
        count += 1
      case .lines: readLines(path, &count, work)
      }
    }
    work.finish()
  }

  private func readWhole(_ path: String) -> [Outcome] {
    let name = path.withoutForeignBytes
    do throws(ReadingError) {
      let reports = try ReportReader.read(path)
      return reports.enumerated().map { index, report in
        outcome(of: report, source: reports.count > 1 ? "\(name), report \(index + 1)" : name)
      }
    } catch {
      return [.skipped(name, error)]
    }
  }

  private func readLines(_ path: String, _ count: inout Int, _ work: OrderedWork<[Outcome]>) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, path == "-" || status.st_mode & S_IFMT == S_IFREG else {
      let reason = descriptor < 0 ? errorText(errno) : "not a file"
      if descriptor >= 0 { close(descriptor) }
      return keep([.skipped(path.withoutForeignBytes, ReadingError(.noInput, "cannot be opened: \(reason)"))])
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let name = path == "-" ? "standard input" : path.withoutForeignBytes
    var lines = StreamLines(of: descriptor)
    do throws(ReadingError) {
      while let line = try lines.next() {
        work.give(count) {
          let source = "\(name), line \(line.number)"
          switch ReportLine.report(of: line) {
          case nil: return []
          case .success(let report): return [self.outcome(of: report, source: source)]
          case .failure(let error): return [.skipped(source, error)]
          }
        }
        count += 1
      }
    } catch {
      keep([.skipped(name, error)])
    }
  }

  private func outcome(of report: CrashReport, source: String) -> Outcome {
    if let limit, !limit.contains(report.timestamp) { return .tooOld }
    let (fingerprint, isComplete) = symbolicator.fingerprint(of: report)
    return .summary(ReportSummary(report, fingerprint, isSymbolicated: isComplete, source: source))
  }

  private func keep(_ outcomes: [Outcome]) {
    collected.withLock { state in
      for outcome in outcomes {
        switch outcome {
        case .summary(let summary): state.groups.add(summary)
        case .tooOld: state.tooOld += 1
        case .skipped(let source, let error):
          state.skippedCount += 1
          if state.skipped.count < Self.mostSkipped { state.skipped.append((source, error.what)) }
          if state.status == 0 { state.status = error.status }
        }
      }
    }
  }
}
