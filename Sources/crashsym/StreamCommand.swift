import ArgumentParser
import CrashReportReading
import Glibc
import ReportInputs
import ReportSymbolication
import Symbolication
import Synchronization

/// `crashsym stream`
struct StreamCommand: FillingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stream", abstract: "Symbolicate reports from standard input, one in each line.",
    discussion: """
      Each line of standard input is one report as JSON. For each, the command writes one line to standard output, in \
      the same order: the report with its frames and its fingerprint filled in. It writes a line as soon as this \
      report and all earlier ones are done. If a line is not a report, or has more than 32 MiB, the output line is \
      {"error":{"line":N,"reason":"…"}} with the line's number, counted from 1, and the stream continues. Blank lines \
      are skipped; a byte-order mark, CRLF and a missing last line end are accepted. Use it in a data processing \
      engine: see Docs/many-reports.md.

      Name files to read them instead of standard input: reports, logs, core files, files with one report a line, and \
      folders of them. An error then has the file's path as "source", and "line" only for a file of lines.

      Exit status: 0 at the end of the input, also if lines were not reports; 64 usage; 65 with --strict, if a line \
      or a file was not a report; 66 no such folder of symbols; 74 input/output. If no process reads the output any \
      more, the status is 74 without a message.
      """)

  @OptionGroup var symbolFolders: SymbolFolderOptions
  @OptionGroup var cache: CacheOptions
  @OptionGroup var filling: FillingOptions

  @Flag(help: "End with status 65 if a line or a file was not a report.")
  var strict = false

  @Option(
    help: ArgumentHelp("The number of reports to work on at a time; by default one for each processor.", valueName: "n")
  )
  var jobs: Int?

  @Argument(
    help: "Reports, logs, core files or folders. With '-' or no file, standard input is read, one report in each line.")
  var files: [String] = []

  mutating func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs takes 1 to 256") }
    if files.isEmpty, isatty(STDIN_FILENO) == 1 { throw CleanExit.helpRequest(self) }
  }

  func run() throws {
    try symbolFolders.check()
    // If no process reads the output any more, the write itself fails.
    signal(SIGPIPE, SIG_IGN)
    let images = symbolicator
    let reports = ReportSymbolicator(images)
    let sources = InputFormats(symbolicationOptions)
    let bad = Atomic(0)
    let unread = Atomic(Int32(0))
    let feed = ReportFeed(sources, width: jobs)
    feed.read(ReportFiles(files.isEmpty ? ["-"] : files, sources)) { [scrub = filling.scrub] place, found in
      StreamAnswer(place, found, reports, scrubs: scrub)
    } handOn: { answer in
      switch answer {
      case .report(let line): Self.write(line)
      case .bad(let line):
        bad.add(1, ordering: .relaxed)
        Self.write(line)
      case .ended(let error):
        Output.complain(error.what, "standard input")
        unread.store(error.status, ordering: .relaxed)
      }
    }
    images.saveIndex()
    let status = unread.load(ordering: .relaxed)
    // At once: to free all that was decoded takes a while, and the process ends anyway.
    Glibc.exit(status != 0 ? status : strict && bad.load(ordering: .relaxed) > 0 ? 65 : 0)
  }

  private static func write(_ bytes: [UInt8]) {
    do throws(ReadingError) {
      try Output.write(bytes, to: STDOUT_FILENO)
    } catch {
      // Other threads are at work, and nothing is left to be done for them.
      if errno != EPIPE { Output.complain(error.what, "standard output") }
      _exit(error.status)
    }
  }
}
