import ArgumentParser
import CaptureRequests
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls

/// `crashsym tasks PID`
struct TasksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tasks",
    abstract: "Show the Swift tasks of a running program.",
    discussion: """
      As crashsym capture, with its exit statuses, but only the tasks are shown, and the program's report is removed.
      """)

  @OptionGroup var options: ReportOptions

  @Option(help: ArgumentHelp("Look again after so many seconds, until interrupted.", valueName: "seconds"))
  var watch: Double?

  @Argument(help: ArgumentHelp("The number of the process.", valueName: "pid"))
  var process: Int32

  mutating func validate() throws {
    if let watch, !(watch >= 0.1 && watch <= 86_400) { throw ValidationError("--watch takes 0.1 to 86400 seconds") }
  }

  func run() throws {
    let pipeline = options.pipeline(try options.check(), coloredBy: STDOUT_FILENO)
    let view = TextReport(options: pipeline.context.options)
    try RunningPrograms.ask(process) { running in
      while true {
        let report = try running.capture()
        running.remove(report)
        let text = try ReportReader.read(report.bytes).map { view.taskText(of: pipeline.prepared($0)) }.joined()
        try Output.write(
          (watch != nil && isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[2J" : "") + text, to: STDOUT_FILENO)
        guard let watch else { break }
        usleep(UInt32(watch * 1_000_000))
      }
    }
    pipeline.saveIndex()
  }
}
