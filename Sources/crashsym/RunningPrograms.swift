import ArgumentParser
import CaptureRequests
import CoreFiles
import CrashReportModel
import CrashReportReading
import StoppedProcesses
import Symbolication

/// A failure with its own exit status.
private protocol FailureWithStatus: Error {
  var what: String { get }
  var status: Int32 { get }
}

extension CaptureFailure: FailureWithStatus {}
extension ReadingError: FailureWithStatus {}

/// How `capture` and `tasks` look at a program.
struct StoppingOptions: ParsableArguments {
  @Flag(help: "Stop the program for a moment, and read it from outside with ptrace.")
  var stop = false
}

/// What one look at a running program showed.
struct ProgramLook {
  var reports: [CrashReport]
  /// The path of the report that the program wrote; nil if it wrote no report.
  var path: String?
}

/// A running program, in one of the ways to look at it.
protocol WatchedProgram {
  /// - Parameter keepsReport: Whether a report that the program writes stays in its folder.
  func look(keepsReport: Bool) throws -> ProgramLook
}

/// The running programs that `capture` and `tasks` look at.
enum RunningPrograms {
  /// Calls a body with a process that can be looked at, and prints why that failed.
  ///
  /// - Throws: `ExitCode`.
  static func look(
    at process: Int32, _ stopping: StoppingOptions, _ symbolication: SymbolicationOptions,
    _ body: (any WatchedProgram) throws -> Void
  ) throws {
    do {
      if stopping.stop {
        try body(StoppedProgram(process: process, reports: CoreReports(symbolication)))
      } else {
        try body(AskedProgram(running: try RunningProcess(process)))
      }
    } catch let error as any FailureWithStatus {
      Output.complain(error.what, "process \(process)")
      throw ExitCode(error.status)
    }
  }
}

/// A program with CrashKit in it, which makes its report itself.
private struct AskedProgram: WatchedProgram {
  let running: RunningProcess

  func look(keepsReport: Bool) throws -> ProgramLook {
    let report = try running.capture()
    if !keepsReport { running.remove(report) }
    return ProgramLook(
      reports: try ReportReader.read(report.bytes), path: keepsReport ? "\(running.folderPath)/\(report.name)" : nil)
  }
}

/// A program that is stopped for a moment and read from outside.
private struct StoppedProgram: WatchedProgram {
  let process: Int32
  let reports: CoreReports

  func look(keepsReport: Bool) throws -> ProgramLook {
    ProgramLook(reports: [try reports.report(of: try OutsideLook.copy(of: process))])
  }
}
