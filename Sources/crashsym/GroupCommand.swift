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
    commandName: "group", abstract: "Group many reports by the kind and the place of the crash.",
    discussion: """
      Reports with the same fingerprint form a group. Each group shows how many reports it has, the first and the last \
      time, the programs, versions and hosts (from an attribute host.name, host or hostname), and one report to look \
      at: the latest complete one. The largest group comes first. Docs/many-reports.md describes the fingerprint.

      In folders and their subfolders, the command reads all *.json and core files, and *.jsonl and *.ndjson with one \
      report in each line. Standard input also has one report in each line. If an input is not a report, the command \
      lists it with the reason and continues.

      Exit status: 0 done; 64 usage. If an input could not be read, the command still reads all others, and the status \
      is that of the first such input: 65 not a report, 66 no such file, 74 input/output.
      """)

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  @Option(
    help: ArgumentHelp(
      "Count only reports since this time: an age such as 7d, 24h, 30m, 45s or 2w, or an RFC 3339 date or time in UTC or with an offset.",
      valueName: "time"))
  var since: String?

  @Option(help: "What to print: \(Renderer<GroupedReports>.allValueStrings.joined(separator: ", ")).")
  var format = Renderer<GroupedReports>.standard

  @Option(help: "Colour the text: \(ColorChoice.allValueStrings.joined(separator: ", ")).")
  var color = ColorChoice.auto

  @Argument(help: "Reports, logs, core files or folders of them; - is standard input, with one report in each line.")
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
    try Output.show(format.text(of: grouped, table) ?? "")
    if format.isForPeople { reportSkipped(grouped) }
    symbolicator.saveIndex()
    // At once: to free all that was decoded takes a while, and the process ends anyway.
    Glibc.exit(collector.status)
  }

  private func reportSkipped(_ grouped: GroupedReports) {
    for entry in grouped.skipped { Output.complain(entry.reason, entry.source) }
    let more = grouped.skippedCount - grouped.skipped.count
    if more > 0 { Output.note("and \(more) other inputs that are not reports") }
  }
}
