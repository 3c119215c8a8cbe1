import ArgumentParser
import CrashReportReading
import Glibc
import ReportInputs
import ReportSymbolication
import Symbolication
import Synchronization

/// `crashsym stream`
struct StreamCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stream", abstract: "Symbolicate reports from standard input: one a line in, one a line out.",
    discussion: """
      Each line of standard input is one report as JSON. For each there is one line on standard output, in the same order \
      and written as soon as it and those before it are done: the report with its frames and its fingerprint filled in. \
      For a line that is no report, or one of more than 32 MiB, it is {"error":{"line":N,"reason":"…"}} with the line's \
      number, counted from 1, and the stream goes on. Blank lines are passed over; a byte-order mark, CRLF and a missing \
      last line end do no harm. It is what an engine for much data runs: see Docs/many-reports.md.

      Name files to read them instead of standard input: reports, logs, core files, files with one report a line, and \
      folders of them. An error then has the file's path as "source", and "line" only for a file of lines.

      Exit status: 0 the input came to its end, also if lines were no reports; 64 usage; 65 with --strict, if a line or \
      a file was no report; 66 no such folder of symbols; 74 input/output, also, in silence, if no process reads the \
      output any more.
      """)

  @OptionGroup var filling: FillingOptions

  @Flag(help: "End with status 65 if a line or a file was no report.")
  var strict = false

  @Option(help: ArgumentHelp("Work on so many reports at a time; by default one for each processor.", valueName: "n"))
  var jobs: Int?

  @Argument(help: "Reports, logs, core files or folders of them; - or none is standard input, one report a line.")
  var files: [String] = []

  mutating func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs takes 1 to 256") }
    if files.isEmpty, isatty(STDIN_FILENO) == 1 { throw CleanExit.helpRequest(self) }
  }

  func run() throws {
    try filling.symbolFolders.check()
    // If no process reads the output any more, the write itself fails.
    signal(SIGPIPE, SIG_IGN)
    let images = filling.symbolicator
    let symbolicator = ReportSymbolicator(images)
    let sources = InputFormats(filling.symbolicationOptions)
    let bad = Atomic(0)
    let unread = Atomic(Int32(0))
    let feed = ReportFeed(sources, width: jobs)
    feed.read(ReportFiles(files.isEmpty ? ["-"] : files, sources)) { [scrub = filling.scrub] place, found in
      StreamAnswer(place, found, symbolicator, scrubs: scrub)
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
