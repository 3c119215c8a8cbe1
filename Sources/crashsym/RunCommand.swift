import ArgumentParser
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls
import PreviousRuns
import ProgramRunner
import ReportInputs

/// `crashsym run -- PROGRAM ARGS…`
struct RunCommand: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run an unchanged program, and show a report if it dies.",
    discussion: """
      The program gets the terminal, standard input and all signals. crashsym ends with the same exit status or by the \
      same signal. If the program cannot start, the status is 64 (nothing can be preloaded into it), 66 (the library \
      to preload is missing), 71 (no process, or too little memory), 74 (no folder for reports, or the JUnit file is a \
      link), 126 (not executable) or 127 (not found).
      """)

  /// At most this many files are checked whether they are the program's core file.
  private static let mostCoreFiles = 4

  @Flag(help: "Also watch the programs that this program starts.")
  var follow = false

  @Flag(
    help: """
      Check the locks that the program takes through functions of pthread or libdispatch. ThreadGuard cannot see \
      locks that are inlined onto futex. The last line gives the number of observed locks.
      """)
  var threadGuard = false

  @Option(help: ArgumentHelp("Keep reports in this folder.", valueName: "folder"))
  var output: String?

  @Flag(
    help: """
      Keep the report, but do not show it. If neither --output nor CRASHKIT_DIRECTORY names the folder, print the path.
      """)
  var quiet = false

  @Option(
    help: ArgumentHelp(
      """
      If a program dies, add a failed case with its stack to this JUnit file, after the program's own cases. The file \
      of swift test --xunit-output lacks the test that crashed.
      """, valueName: "file"))
  var junit: String?

  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions
  @OptionGroup var filling: FillingOptions
  @OptionGroup var sources: SourceOptions
  @OptionGroup var options: ReportOptions

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, after --.", valueName: "program"))
  var program: [String] = []

  mutating func validate() throws {
    guard !program.isEmpty else {
      throw ValidationError("name a program after --, as in: crashsym run -- ./api --port 80")
    }
  }

  func run() throws {
    Output.boundsStandardError()
    let folders = try checkOptions()
    do throws(RunFailure) {
      if let junit { try JUnitOutput.check(junit) }
      let path = try ProgramSearch.path(of: program[0])
      try PreloadCheck.check(path)
      let capture = try PreloadLibrary.crashCapture.find()
      var libraries = [capture]
      if Self.wantsGuard { libraries.insert(try PreloadLibrary.memoryGuard.find(), at: 0) }
      if threadGuard { libraries.append(try PreloadLibrary.threadGuard.find()) }
      let folder = try ReportFolder(asked: output)
      defer { folder.tidyUp() }
      if quiet, threadGuard { leaveOutSummary("THREADGUARD_OPTIONS") }
      let started = time(nil)
      let request = ProgramRun.Request(
        path: path, arguments: program, preload: libraries.joined(separator: ":"), folder: folder,
        options: captureOptions,
        follows: follow)
      let run = try ProgramRun(request)
      let (end, peakMemory) = run.waitForEnd()
      tellUnreportedEnds(run.pid, end, peakMemory: peakMemory, in: folder)
      let reports = folder.newReports(of: follow ? nil : run.pid)
      if !quiet || junit != nil { tell(reports, in: folder, folders) }
      if !quiet, reports.isEmpty {
        tellMissingReport(of: end)
        tellCoreFile(of: run.pid, end, since: started)
      }
      if quiet, folder.isPrivate {
        for name in reports { Output.note("the report is \(folder.path(of: name))") }
      }
      folder.tidyUp()
      end.repeatInThisProcess()
    } catch {
      Output.complain(error.what, error.subject)
      throw ExitCode(error.status)
    }
  }

  /// Whether allocations are to be guarded: a program without that wish keeps its allocator.
  private static var wantsGuard: Bool {
    let values = (environment("CRASHKIT_OPTIONS") ?? "").split(separator: ",").filter { $0.hasPrefix("guard=") }
    guard let last = values.last?.dropFirst("guard=".count) else { return false }
    return !["no", "off", "false", "0", "n", "f"].contains(last.lowercased())
  }

  /// The summary on standard error would repeat the report, or break the silence that the user wants.
  private var captureOptions: String {
    guard quiet || !follow else { return "" }
    return withoutSummary("CRASHKIT_OPTIONS") ?? ""
  }

  /// The variable's options without a summary; `nil` if the user decided about the summary.
  private func withoutSummary(_ variable: String) -> String? {
    let given = environment(variable) ?? ""
    guard !given.contains("summary=") else { return nil }
    return given.isEmpty ? "summary=no" : "\(given),summary=no"
  }

  private func leaveOutSummary(_ variable: String) {
    if let options = withoutSummary(variable) { setEnvironment(variable, options) }
  }

  /// Makes reports of processes that were killed: only their rings are left.
  private func tellUnreportedEnds(_ pid: Int32, _ end: ProgramEnd, peakMemory: UInt64, in folder: ReportFolder) {
    guard let directory = try? ReportDirectory(path: folder.path, descriptor: folder.descriptor) else { return }
    let known: KnownEnd
    switch end {
    case .exited(let status): known = .exited(status)
    case .killed(let signal): known = .killed(signal: signal, peakMemory: peakMemory)
    }
    let runs = PreviousRuns(in: directory)
    var notes = runs.report(pid: pid, known: known, exitsAreSeen: true).notes
    // Its children's ends are known to it alone. What was there before is left to the next launch.
    if follow { notes += runs.report(exitsAreSeen: true, where: folder.isNew).notes }
    for note in notes { Output.complain(note, folder.path) }
  }

  /// Shows the reports, unless the user turned this off, and adds them to the JUnit file.
  private func tell(_ names: [String], in folder: ReportFolder, _ folders: SourceFolders) {
    let pipeline = pipeline(folders, coloredBy: STDERR_FILENO)
    let view = TextReport(options: pipeline.context.options)
    var all: [VerifiedReport] = []
    for name in names {
      do {
        let file = try folder.open(name)
        defer { close(file) }
        let reports = try ReportReader.read(InputFile.read(file: file)).map(pipeline.prepared)
        all += reports
        guard !quiet else { continue }
        for report in reports { try Output.write("\n" + view.text(of: report), to: STDERR_FILENO) }
        try Output.write("\n", to: STDERR_FILENO)
        Output.note("the report is \(folder.path(of: name))")
      } catch let error as RunFailure {
        Output.complain(error.what, error.subject)
      } catch let error as ReadingError {
        Output.complain(error.what, folder.path(of: name))
      } catch {}
    }
    pipeline.saveIndex()
    // Swift Testing has a case of its own for the test that started the process.
    let cases = all.filter { !$0.report.isOfExitTest }
    if let junit, !cases.isEmpty { JUnitOutput.add(cases, to: junit, options: pipeline.context.options) }
  }

  /// Names the core file that the kernel wrote in place of a report, if it says itself that it is of this process.
  private func tellCoreFile(of pid: Int32, _ end: ProgramEnd, since start: time_t) {
    guard case .killed(let signal) = end, let place = CoreFilePath(ofProcess: pid, signal: signal) else { return }
    let inputs = InputFormats(symbolicationOptions)
    let own = place.files(since: start).prefix(Self.mostCoreFiles).first { path in
      (try? inputs.read(path))?.first?.process?.pid == Int(pid)
    }
    if let own { Output.note("the core file is \(own.harmlessName); read it with: crashsym \(own.harmlessName)") }
  }

  private func tellMissingReport(of end: ProgramEnd) {
    switch end {
    case .killed(let signal) where CrashReport.Signal.isHandled(signal):
      Output.complain("the program left no report", program[0])
    case .exited(let status):
      let number = status - 128
      guard CrashReport.Signal.isHandled(number), let signal = CrashReport.Signal.name(of: number) else { return }
      Output.complain(
        "no report",
        "\(program[0]) ended with status \(status), perhaps because a child process died of \(signal)"
          + (follow ? "" : "; --follow captures children"))
    default: return
    }
  }
}
