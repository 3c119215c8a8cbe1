import CrashReportModel
import Foundation
import Testing

@testable import PreviousRuns

extension EndToEnd {
  /// Power that goes while the ring's file is on its way to the disk.
  @Suite struct CutRingTests {
    /// What any prefix of the file comes to: a report, or nothing that could be one. Of zeros after zeros only the full
    /// set of tests tries each.
    @Test func everyPrefixIsReadOrRefused() throws {
      let process = try EndedProcess()
      try process.end("kill")
      let bytes = try process.ring().bytes
      let surroundings = Surroundings()
      let whole = try #require(RegionContents(bytes))
      let verdict = Verdict(whole, known: nil, surroundings: surroundings)
      var refused = 0
      var kept: [Int: Int] = [:]
      for size in 0...bytes.count {
        let isNearContents = size < RingLayout.namesEnd || Set(bytes[max(0, size - 32)..<size]) != [0]
        guard Products.testsAreFull || isNearContents || size % 61 == 0 || size == bytes.count else { continue }
        guard let contents = RegionContents(Array(bytes[..<size])) else {
          refused += 1
          continue
        }
        kept[contents.breadcrumbs.count, default: 0] += 1
        let exit = UncleanExit(
          contents: contents, verdict: verdict, time: Timestamp("2026-11-21T08:24:35Z")!, known: nil, size: size,
          unfinishedReport: nil, surroundings: surroundings)
        // What a cut changes is checked for each byte; the whole text where something is new.
        let report = exit.report
        let isExpected =
          report.process?.pid == Int(whole.header.pid) && (report.capture?.cutShort == nil) == (size == bytes.count)
        if !isExpected { Issue.record("at \(size) bytes") }
      }
      #expect(refused == RingLayout.namesEnd, "the header's names are what a report cannot do without")
      #expect(Set(kept.keys) == [0, 1, 2], "the breadcrumbs come one by one")
    }

    /// The same with files, and with the schema: each size at which something begins or ends, and many between.
    @Test func prefixesAsFiles() throws {
      let process = try EndedProcess()
      try process.end("kill")
      let (name, bytes) = try process.ring()
      let ends = [0, 356, 384, 384 + 448, 4096, 28672, 110_592, bytes.count]
      let sizes = Set(
        ends.flatMap { [$0 - 8, $0 - 1, $0, $0 + 1, $0 + 8] } + stride(from: 0, to: bytes.count, by: 9973)
      )
      .filter { (0...bytes.count).contains($0) }
      let file = process.folder.url.appending(path: name)
      let validator = try Validator()
      for size in sizes.sorted() {
        try Data(bytes[..<size]).write(to: file)
        let outcome = PreviousRuns(in: try ReportDirectory(path: process.folder.url.path)).report()
        if size < RingLayout.namesEnd {
          #expect(outcome.reports.isEmpty && outcome.notes.count == 1, "\(size): \(outcome)")
          #expect(try process.names() == ["\(name).damaged"])
        } else {
          #expect(outcome.reports.count == 1 && outcome.notes.isEmpty, "\(size): \(outcome)")
          #expect(try process.names() == outcome.reports)
          validator.add(process.folder.url.appending(path: outcome.reports[0]))
        }
        for rest in try process.names() {
          try FileManager.default.removeItem(at: process.folder.url.appending(path: rest))
        }
      }
      try validator.expectAllValid()
    }

    /// Bytes that are not what was written: a bad disk, or somebody's hand.
    @Test func changedBytes() throws {
      let process = try EndedProcess()
      try process.end("kill")
      let bytes = try process.ring().bytes
      var random = SeededRandom(state: 4711)
      let validator = try Validator()
      let surroundings = Surroundings()
      for round in 0..<600 {
        var changed = bytes
        for _ in 0..<(1 + round % 20) {
          let within = [900, 4096, 30_000, 116_000, bytes.count][round % 5]
          changed[Int.random(in: 0..<min(within, bytes.count), using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        guard let contents = RegionContents(changed), contents.header.pid > 0, contents.header.pid < 1 << 31 else {
          continue
        }
        let exit = UncleanExit(
          contents: contents, verdict: Verdict(contents, known: nil, surroundings: surroundings),
          time: Timestamp("2026-11-21T08:24:35Z")!, known: nil, size: changed.count, unfinishedReport: nil,
          surroundings: surroundings)
        try validator.add(exit.report)
      }
      try validator.expectAllValid()
    }
  }

  /// Checks many reports against the schema with one run of Python.
  private final class Validator {
    private let folder: TemporaryFolder
    private var count = 0

    init() throws { folder = try TemporaryFolder() }

    private var next: URL {
      count += 1
      return folder.url.appending(path: "\(count).json")
    }

    func add(_ url: URL) { try? FileManager.default.copyItem(at: url, to: next) }
    func add(_ report: CrashReport) throws { try Data(report.json.utf8).write(to: next) }

    func expectAllValid() throws {
      let python = ProcessInfo.processInfo.environment["CRASHKIT_TEST_PYTHON"] ?? Products.onPath("python3")
      let files = try folder.files(endingWith: ".json")
      #expect(files.count == count && count > 10)
      let run = try ProgramRun.run(
        [
          try #require(python), Products.root.appending(path: "Tests/Helpers/validate.py").path,
          Products.root.appending(path: "Docs/report.schema.json").path,
        ] + files)
      let wrong = run.standardOutput.split(separator: "\n").filter { !$0.hasSuffix(": valid") }.prefix(5)
      #expect(run.end == .exited(0), "\(wrong.joined(separator: "\n")) \(run.standardError)")
    }
  }

  /// The same numbers each time (Vigna, splitmix64).
  private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
