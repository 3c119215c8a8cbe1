import ArgumentParser
import CommandEntry
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import ReportGrouping
import ReportInputs
import ReportSymbolication
import Symbolication

/// `crashsym group DIR|FILE…`
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Group many reports by what died where.",
    discussion: """
      Reports with one fingerprint are one group: how many, when first and last, which programs, versions and hosts (from \
      an attribute host.name, host or hostname), and one report to look at: the latest of those from which nothing is \
      missing. The largest group comes first, of equal ones that which was seen last. Docs/many-reports.md has the rule of \
      the fingerprint.

      Of a folder and those below it, all *.json and core files are read, and *.jsonl and *.ndjson with one report a \
      line. Standard input has one report a line too. Inputs that are no reports are listed with the reason, and the \
      rest goes on.

      Exit status: 0 done; 64 usage; where something could not be read, all else done: 65 not a report, 66 no such file, \
      74 input/output, whichever came first.
      """)

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  @Option(
    help: ArgumentHelp(
      "Only reports from this moment on: 7d, 24h, 30m, 45s or 2w before now, or an RFC 3339 date or time in UTC or with an offset.",
      valueName: "time"))
  var since: String?

  @Option(help: "What to print: \(Renderer<GroupedReports>.allValueStrings.joined(separator: ", ")).")
  var format = Renderer<GroupedReports>.standard

  @Option(help: "Colour the text: \(ColorChoice.allValueStrings.joined(separator: ", ")).")
  var color = ColorChoice.auto

  @Argument(help: "Reports, logs, core files or folders of them; - is standard input, one report a line.")
  var files: [String]

  private static func limit(_ text: String) -> TimeLimit? {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    return TimeLimit(text, now: Timestamp(microsecondsSince1970: microseconds))
  }

  mutating func validate() throws {
    if let since, Self.limit(since) == nil {
      throw ValidationError("--since takes 7d, 24h, 30m, 45s, 2w or an RFC 3339 date: \(since.harmlessName)")
    }
  }

  func run() throws {
    try symbolFolders.check()
    let symbolicator = symbolFolders.symbolicator(cache: cache)
    let sources = InputFormats(symbolFolders.symbolicationOptions(fullNames: false, cache: cache))
    let collector = GroupCollector(ReportSymbolicator(symbolicator), limit: since.flatMap(Self.limit))
    collector.collect(ReportFiles(files, sources), ReportFeed(sources))
    let grouped = collector.grouped
    let table = GroupTable(usesColor: color.applies(to: STDOUT_FILENO), width: Terminal.width(of: STDOUT_FILENO))
    do throws(ReadingError) {
      try Output.write(format.text(of: grouped, table) ?? "", to: STDOUT_FILENO)
    } catch {
      Output.complain(error.what, "standard output")
      throw ExitCode(error.status)
    }
    if format.isForPeople { reportSkipped(grouped) }
    symbolicator.saveIndex()
    // At once: to free all that was decoded takes a while, and the process ends anyway.
    Glibc.exit(collector.status)
  }

  private func reportSkipped(_ grouped: GroupedReports) {
    for entry in grouped.skipped { Output.complain(entry.reason, entry.source) }
    let more = grouped.skippedCount - grouped.skipped.count
    if more > 0 { Output.note("and \(more) more that are no reports") }
  }
}
