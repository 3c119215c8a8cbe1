import ArgumentParser
import CaptureRequests
import CrashReportReading

/// A failure that has an exit status of its own.
private protocol FailureWithStatus: Error {
  var what: String { get }
  var status: Int32 { get }
}

extension CaptureFailure: FailureWithStatus {}
extension ReadingError: FailureWithStatus {}

/// The running programs that `capture` and `tasks` ask.
enum RunningPrograms {
  /// Calls a body with a process that can be asked, and prints why that failed.
  ///
  /// - Throws: `ExitCode`.
  static func ask(_ process: Int32, _ body: (RunningProcess) throws -> Void) throws {
    do {
      try body(try RunningProcess(process))
    } catch let error as any FailureWithStatus {
      Output.complain(error.what, "process \(process)")
      throw ExitCode(error.status)
    }
  }
}
