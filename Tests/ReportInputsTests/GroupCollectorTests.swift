import CrashReportModel
import ReportGrouping
import ReportSymbolication
import Symbolication
import Testing

@testable import ReportInputs

@Suite struct GroupCollectorTests {
  private func collect(_ paths: [String], since: String? = nil) -> GroupCollector {
    let sources = InputFormats()
    let limit = since.flatMap { TimeLimit($0, now: Timestamp(microsecondsSince1970: 0)) }
    let collector = GroupCollector(ReportSymbolicator(Symbolicator()), limit: limit)
    collector.collect(ReportFiles(paths, sources), ReportFeed(sources, width: 2))
    return collector
  }

  @Test func theFirstFailureDecidesTheStatus() throws {
    let files = try TemporaryFiles()
    let good = try files.write(report(1), to: "good.json")
    let bad = try files.write("{}", to: "bad.json")
    #expect(collect([good]).status == 0)
    #expect(collect([good, bad, "/no/such.json"]).status == 65)
    let result = collect(["/no/such.json", good, bad])
    #expect(result.status == 66)
    #expect(result.grouped.groups.count == 1)
    #expect(result.grouped.skipped.map(\.source) == ["/no/such.json", bad])
    #expect(result.grouped.skippedCount == 2)
  }

  @Test func reportsBeforeTheLimitAreCounted() throws {
    let files = try TemporaryFiles()
    let path = try files.write(report(1), to: "old.json")
    let grouped = collect([path], since: "2026-11-22").grouped
    #expect(grouped.tooOld == 1 && grouped.groups.count == 0)
    #expect(collect([path], since: "2026-11-21").grouped.groups.count == 1)
  }
}
