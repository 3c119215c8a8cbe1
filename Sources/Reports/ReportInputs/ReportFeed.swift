import CrashReportModel
import CrashReportReading
import Glibc
import LinuxCalls

/// Reads many inputs, a few at a time. It passes on one result for each report, in the order of the inputs.
public struct ReportFeed: Sendable {
  /// The place of a report.
  public struct Place: Sendable, Hashable {
    /// The file's path, or `nil` for standard input.
    public var file: String?
    /// The number of the line, counted from 1, if the input has one report on each line.
    public var line: Int?
    /// The number of the report, counted from 1, if the input has several reports.
    public var report: Int?

    /// The place as text for people.
    public var text: String {
      let input = file?.withoutForeignBytes ?? "standard input"
      return line.map { "\(input), line \($0)" } ?? report.map { "\(input), report \($0)" } ?? input
    }
  }

  private let sources: InputFormats
  private let width: Int

  /// - Parameters:
  ///   - sources: The kinds of input.
  ///   - width: How many inputs are read at a time; by default as many as there are processors.
  public init(_ sources: InputFormats, width: Int? = nil) {
    self.sources = sources
    self.width = width ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// Reads all inputs, and returns when all results are passed on.
  ///
  /// - Parameters:
  ///   - files: The inputs.
  ///   - work: Called for each report, on several threads at once. If an input, or one of its lines, cannot be read as
  ///     a report, `work` gets the error instead.
  ///   - handOn: Gets each result, in order. Two calls never run at the same time.
  public func read<Result: Sendable>(
    _ files: ReportFiles,
    work: @escaping @Sendable (Place, Swift.Result<CrashReport, ReadingError>) -> Result,
    handOn: @escaping @Sendable (Result) -> Void
  ) {
    let queue = OrderedWork<[Result]>(width: width) { $0.forEach(handOn) }
    for (path, error) in files.failures { queue.give { [work(Place(file: path), .failure(error))] } }
    for (path, form) in files.files {
      switch form {
      case .whole: queue.give { [sources] in Self.whole(path, sources, work) }
      case .lines:
        let file = path == "-" ? nil : path
        do throws(ReadingError) {
          try readLines(of: file) { line in
            queue.give { line.report.map { [work(Place(file: file, line: line.number), $0)] } ?? [] }
          }
        } catch {
          queue.give { [work(Place(file: file), .failure(error))] }
        }
      }
    }
    queue.finish()
  }

  private static func whole<Result>(
    _ path: String, _ sources: InputFormats, _ work: (Place, Swift.Result<CrashReport, ReadingError>) -> Result
  ) -> [Result] {
    do throws(ReadingError) {
      let reports = try sources.read(path)
      return reports.enumerated().map { index, report in
        work(Place(file: path, report: reports.count > 1 ? index + 1 : nil), .success(report))
      }
    } catch {
      return [work(Place(file: path), .failure(error))]
    }
  }

  private func readLines(of file: String?, _ take: (StreamLines.Line) -> Void) throws(ReadingError) {
    let descriptor = try file.map(Self.open) ?? STDIN_FILENO
    defer { if file != nil { close(descriptor) } }
    var lines = StreamLines(of: descriptor)
    while let line = try lines.next() { take(line) }
  }

  private static func open(_ path: String) throws(ReadingError) -> Int32 {
    let descriptor = LinuxCalls.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ReadingError(.noInput, "cannot be opened: \(errorText(errno))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ReadingError(.noInput, "cannot be opened: not a file")
    }
    return descriptor
  }
}
