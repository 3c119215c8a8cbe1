import ArgumentParser
import CrashReportModel
import CrashReportView
import Glibc
import LinuxCalls

/// `crashsym tasks PID`
struct TasksCommand: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "tasks",
    abstract: "Show the Swift tasks of a running program.",
    discussion: """
      Works like crashsym capture, with the same exit statuses, but shows only the tasks and removes the program's \
      report. With --stop and --watch, each look stops the program again.

      JSON is one line for each look: the report without its other sections. If no tasks can be found, tasks is \
      absent, and capture.tasks.none says why.
      """)

  /// The format in which the tasks are printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Option(help: "What to print: \(Format.allValueStrings.joined(separator: ", ")).")
  var format = Format.text

  @OptionGroup var stopping: StoppingOptions

  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions
  @OptionGroup var filling: FillingOptions
  @OptionGroup var sources: SourceOptions
  @OptionGroup var options: ReportOptions

  @Option(
    help: ArgumentHelp(
      "Show the tasks again at intervals of this number of seconds, until you interrupt the command.",
      valueName: "seconds"))
  var watch: Double?

  @Argument(help: ArgumentHelp("The number of the process.", valueName: "pid"))
  var process: Int32

  mutating func validate() throws {
    if let watch, !(watch >= 0.1 && watch <= 86_400) { throw ValidationError("--watch takes 0.1 to 86400 seconds") }
  }

  func run() throws {
    let pipeline = pipeline(try checkOptions(), coloredBy: STDOUT_FILENO)
    try RunningPrograms.look(at: process, stopping, symbolicationOptions) { program in
      while true {
        let reports = try program.look(keepsReport: false).reports.map { pipeline.prepared($0) }
        try Output.show(text(of: reports, pipeline.context))
        guard let watch else { break }
        usleep(UInt32(watch * 1_000_000))
      }
    }
    pipeline.saveIndex()
  }

  private func text(of reports: [VerifiedReport], _ context: ReportContext) -> String {
    switch format {
    case .json:
      return reports.map { TasksDocument.json(of: $0.report) + "\n" }.joined()
    case .text:
      let view = TextReport(options: context.options)
      let clearing = watch != nil && isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[2J" : ""
      return clearing + reports.map { view.taskText(of: $0) }.joined()
    }
  }
}
