import ArgumentParser
import CommandEntry
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls

/// `crashsym capture PID`
struct CaptureCommand: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Show what a running program does: a report of all its threads and Swift tasks.",
    discussion: """
      The program must link CrashKit, or crashsym run must have started it. It writes the report to its own folder and \
      continues. You need the right to send signals to the program. A program that its own user may not trace does not \
      answer.

      With --stop the program needs no CrashKit. crashsym stops all its threads for some milliseconds, copies their \
      stacks and the other data for the report, and resumes them. It writes nothing to a folder. You need the \
      permission to trace the program.

      Exit status: 0 done; 64 usage; 65 no CrashKit in it, no folder for reports, or with --stop not a 64-bit program; \
      66 no such process; 74 no answer in 10 s, or input/output; 77 this user may not stop it, or a debugger traces \
      it.
      """)

  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions
  @OptionGroup var filling: FillingOptions
  @OptionGroup var sources: SourceOptions
  @OptionGroup var options: ReportOptions

  @OptionGroup var stopping: StoppingOptions

  @Option(help: "What to print: \(Renderer<VerifiedReport>.allValueStrings.joined(separator: ", ")).")
  var format = Renderer<VerifiedReport>.standard

  @Argument(help: ArgumentHelp("The number of the process.", valueName: "pid"))
  var process: Int32

  func run() throws {
    try format.checkOutput()
    let pipeline = pipeline(try checkOptions(), coloredBy: STDOUT_FILENO)
    try RunningPrograms.look(at: process, stopping, symbolicationOptions) { program in
      let look = try program.look(keepsReport: true)
      for report in look.reports {
        guard let bytes = format.bytes(of: pipeline.prepared(report), pipeline.context) else {
          throw ReadingError(.notAReport, format.lack)
        }
        try Output.show(bytes)
      }
      if let path = look.path { Output.note("the report is \(path)") }
    }
    pipeline.saveIndex()
  }
}
