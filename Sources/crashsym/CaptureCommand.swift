import ArgumentParser
import CaptureRequests
import CommandEntry
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls

/// `crashsym capture PID`
struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Show what a running program does: a report of all its threads and Swift tasks.",
    discussion: """
      The program must have CrashKit in it: linked, or started by crashsym run. It writes the report to its own folder, \
      and goes on. Whoever may send it signals may ask. A program that its own user may not trace does not answer.

      Exit status: 0 done; 64 usage; 65 no CrashKit in it, or no folder for reports; 66 no such process; 74 no answer in \
      10 s, or input/output.
      """)

  @OptionGroup var options: ReportOptions

  @Option(help: "What to print: \(Renderer<VerifiedReport>.allValueStrings.joined(separator: ", ")).")
  var format = Renderer<VerifiedReport>.standard

  @Argument(help: ArgumentHelp("The number of the process.", valueName: "pid"))
  var process: Int32

  func run() throws {
    let pipeline = options.pipeline(try options.check(), coloredBy: STDOUT_FILENO)
    try RunningPrograms.ask(process) { running in
      let report = try running.capture()
      for read in try ReportReader.read(report.bytes) {
        guard let text = format.text(of: pipeline.prepared(read), pipeline.context) else {
          throw ReadingError(.notAReport, format.lack)
        }
        try Output.write(text, to: STDOUT_FILENO)
      }
      Output.note("the report is \(running.folderPath)/\(report.name)")
    }
    pipeline.saveIndex()
  }
}
