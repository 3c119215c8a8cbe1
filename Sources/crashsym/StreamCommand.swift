import ArgumentParser
import CrashReportReading
import Glibc
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

      Exit status: 0 the input came to its end, also where lines were no reports; 64 usage; 65 with --strict, where a line \
      was no report; 66 no such folder of symbols; 74 input/output: also, without a word, where nobody reads the output \
      any more.
      """)

  @OptionGroup var filling: FillingOptions

  @Flag(help: "End with status 65 where a line was no report.")
  var strict = false

  @Option(help: ArgumentHelp("Work on so many reports at a time; by default one for each processor.", valueName: "n"))
  var jobs: Int?

  mutating func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs takes 1 to 256") }
    if isatty(STDIN_FILENO) == 1 { throw CleanExit.helpRequest(self) }
  }

  func run() throws {
    try filling.symbolFolders.check()
    // Nobody to read the output is told by the write instead.
    signal(SIGPIPE, SIG_IGN)
    let images = filling.symbolicator
    let symbolicator = ReportSymbolicator(images)
    let bad = Atomic(0)
    let jobs = jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let work = OrderedWork<ReportLine>(width: jobs) { line in
      if line.isBad { bad.add(1, ordering: .relaxed) }
      if let output = line.output { Self.write(output) }
    }
    do throws(ReadingError) {
      var lines = StreamLines()
      var count = 0
      while let line = try lines.next() {
        work.give(count) { [scrub = filling.scrub] in ReportLine(line, symbolicator, scrubs: scrub) }
        count += 1
      }
    } catch {
      work.finish()
      Output.complain(error.what, "standard input")
      throw ExitCode(error.status)
    }
    work.finish()
    images.saveIndex()
    // At once: to free all that was decoded takes a while, and the process ends anyway.
    Glibc.exit(strict && bad.load(ordering: .relaxed) > 0 ? 65 : 0)
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
