import ArgumentParser
import CommandEntry
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls
import ReportInputs

/// `crashsym dump.json …`
struct ShowCommand: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show reports (the default).",
    discussion: """
      With --format json each report is one line: the same report with its frames filled in. collapsed (for flame \
      graphs) and speedscope (https://www.speedscope.app) give the samples of a hang, or each thread's stack of any \
      other report; firefox (https://profiler.firefox.com) gives the same for all reports in one file. dot is the \
      order of locks of a violation, for Graphviz. sarif is one file for all reports (SARIF 2.1.0). github is a line \
      for each report, which GitHub's runners show next to the code. Both name files of the repository relative to the \
      folder with .git, or to the working folder if there is no .git. markdown is one text for all reports, of at most \
      65,000 characters: for $GITHUB_STEP_SUMMARY, issues and chats. html is one page for all reports, without \
      scripts. junit is one suite, in which each report is a case that failed. pprof is a profile for go tool pprof: \
      the samples of hangs, or each thread's stack of other reports.

      crashsym shows source lines only for places that it found itself, in a file with the right build ID. The source \
      file must be in the working folder, in the repository around it or in a folder that --source names. If not all \
      users may read a file, it is shown only from a named folder; hidden files are never shown. If the program was \
      built elsewhere, crashsym shortens the path from the front until it finds a file.

      Exit status: 0 done; 64 usage. If a file could not be read, all others are shown, and the status is that of the \
      first such file: 65 not a report, 66 no such file, 74 input/output. If no file could be read, no format writes \
      anything.
      """)

  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions
  @OptionGroup var filling: FillingOptions
  @OptionGroup var sources: SourceOptions
  @OptionGroup var options: ReportOptions

  @Option(help: "What to print: \(Renderer<VerifiedReport>.allValueStrings.joined(separator: ", ")).")
  var format = Renderer<VerifiedReport>.standard

  @Option(help: "The program of a core file, if it is not at the path that the core names.")
  var executable: String?

  @Flag(help: "Show the command line that a core file contains.")
  var arguments = false

  @Argument(help: "Reports, logs or core files. With '-' or no file, standard input is read.")
  var files: [String] = []

  mutating func validate() throws {
    if files.isEmpty && isatty(STDIN_FILENO) == 1 { throw CleanExit.helpRequest(Crashsym.self) }
  }

  func run() throws {
    if let first = files.first, access(first, F_OK) != 0, let command = MistypedCommand.suggestion(for: first) {
      Output.complain("no such file or command, did you mean \(command)?", first)
      throw ExitCode(64)
    }
    try format.checkOutput()
    if let executable, access(executable, F_OK) != 0 {
      Output.complain("no such file", executable)
      throw ExitCode(66)
    }
    let pipeline = pipeline(try checkOptions(), coloredBy: STDOUT_FILENO)
    let inputs = InputFormats(symbolicationOptions, executable: executable, showsArguments: arguments)
    var status: Int32 = 0
    var isFirst = true
    var forAll: [VerifiedReport] = []
    for file in files.isEmpty ? ["-"] : files {
      let name = file == "-" ? "standard input" : file
      let found: [CrashReport]
      do throws(ReadingError) {
        found = try inputs.read(file)
      } catch {
        Output.complain(error.what, name)
        if status == 0 { status = error.status }
        continue
      }
      for report in found {
        let report = pipeline.prepared(report)
        guard case .each(let text) = format.form else {
          forAll.append(report)
          continue
        }
        if let text = text(report, pipeline.context) {
          try Output.show(heading(of: file, isFirst) + text)
          isFirst = false
        } else {
          Output.complain(format.lack, name)
          if status == 0 { status = 65 }
        }
      }
    }
    // A page or a file without a report would look as if there had been no crash.
    if status == 0 || !forAll.isEmpty { try writeAll(forAll, pipeline.context) }
    pipeline.saveIndex()
    if status != 0 { throw ExitCode(status) }
  }

  /// Writes the one page or file of all reports, if that is the format.
  private func writeAll(_ reports: [VerifiedReport], _ context: ReportContext) throws {
    switch format.form {
    case .each: break
    case .all(let text): try Output.show(text(reports, context))
    case .file(let bytes): try Output.show(bytes(reports, context))
    }
  }

  /// The lines before a report: a blank line after the previous report, and the file's name if there are several files.
  private func heading(of file: String, _ isFirst: Bool) -> String {
    guard format.isForPeople else { return "" }
    return (isFirst ? "" : "\n") + (files.count > 1 ? file.harmlessName + ":\n" : "")
  }
}
