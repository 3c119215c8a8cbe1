import ArgumentParser
import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import ReportGrouping
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

      Of a folder and those below it, all *.json are read, and *.jsonl and *.ndjson with one report a line, as standard \
      input has them too. What is no report is listed with the reason, and the rest goes on.

      Exit status: 0 done; 64 usage; where something could not be read, all else done: 65 not a report, 66 no such file, \
      74 input/output, whichever came first.
      """)

  /// What groups are printed as.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @OptionGroup var symbolFolders: SymbolFolderOptions

  @OptionGroup var cache: CacheOptions

  @Option(
    help: ArgumentHelp(
      "Only reports from this moment on: 7d, 24h, 30m, 45s or 2w before now, or an RFC 3339 date or time in UTC or with an offset.",
      valueName: "time"))
  var since: String?

  @Option(help: "What to print: \(Format.allValueStrings.joined(separator: ", ")).")
  var format = Format.text

  @Option(help: "Colour the text: \(ColorChoice.allValueStrings.joined(separator: ", ")).")
  var color = ColorChoice.auto

  @Argument(help: "Reports, logs or folders of them; - is standard input, one report a line.")
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
    let collector = GroupCollector(ReportSymbolicator(symbolicator), limit: since.flatMap(Self.limit))
    collector.collect(ReportFiles(files))
    let state = collector.state
    do throws(ReadingError) {
      try Output.write(format == .json ? json(state) : text(state), to: STDOUT_FILENO)
    } catch {
      Output.complain(error.what, "standard output")
      throw ExitCode(error.status)
    }
    if format == .text { tellSkipped(state) }
    symbolicator.saveIndex()
    // At once: to free all that was decoded takes a while, and the process ends anyway.
    Glibc.exit(state.status)
  }

  private func text(_ state: GroupCollector.State) -> String {
    let groups = state.groups.sorted
    let table = GroupTable(usesColor: color.applies(to: STDOUT_FILENO), width: Terminal.width(of: STDOUT_FILENO))
    var text = groups.isEmpty ? "" : table.text(of: groups) + "\n"
    text += "\(state.groups.count) report\(state.groups.count == 1 ? "" : "s")"
    text += " in \(groups.count) group\(groups.count == 1 ? "" : "s")"
    if state.tooOld > 0 { text += "; \(state.tooOld) from before, or of no known time, left out" }
    if state.skippedCount > 0 { text += "; \(state.skippedCount) skipped" }
    return text + "\n"
  }

  private func json(_ state: GroupCollector.State) -> String {
    var object = JSONObject()
    object["groups"] = .array(state.groups.sorted.map(\.json))
    object["reports"] = state.groups.count.json
    object["leftOut"] = state.tooOld.json
    object["skippedCount"] = state.skippedCount.json
    object["skipped"] = .array(
      state.skipped.map { entry in
        .object(
          JSONObject(members: [
            .init(key: "source", value: entry.source.json), .init(key: "reason", value: entry.reason.json),
          ]))
      })
    return object.json.text + "\n"
  }

  private func tellSkipped(_ state: GroupCollector.State) {
    for entry in state.skipped { Output.complain(entry.reason, entry.source) }
    let more = state.skippedCount - state.skipped.count
    if more > 0 { Output.note("and \(more) more that are no reports") }
  }
}
