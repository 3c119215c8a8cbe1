import CrashReportModel
import Foundation
import Testing

@testable import CrashKit
@testable import PreviousRuns

@Suite struct StoredReportTests {
  @Test func theNewestReportComesFirst() throws {
    let folder = try ReportFolder()
    for day in [3, 1, 2] { try folder.add(day: day) }
    try folder.add(day: 4, in: "handled/")
    let reports = try CrashKit.storedReports(in: folder.path)
    #expect(reports.map(\.name) == [3, 2, 1].map { ReportFolder.name(day: $0) })
    let first = try #require(reports.first)
    #expect(first.secondsSince1970 == ReportFolder.noon(day: 3))
    #expect(first.pid == 7 && first.kind == "crashReport" && first.signal == "SIGSEGV")
    #expect(first.cause == "null pointer" && first.state == .new && first.size == 200)
    #expect(first.path == "\(folder.path)/\(first.name)")
    #expect(try first.data() == Array(try Data(contentsOf: URL(filePath: first.path))))
    let all = try CrashKit.storedReports(in: folder.path, includingHandled: true)
    #expect(all.map(\.state) == [.handled, .new, .new, .new])
    #expect(try all[0].data().count == 200)
  }

  @Test func handlingIsDoneOnce() throws {
    let folder = try ReportFolder()
    let name = try folder.add(day: 1)
    try folder.write("+", to: name + ".attempts")
    let report = try #require(try CrashKit.storedReports(in: folder.path).first)
    #expect(try report.markHandled())
    #expect(try !report.markHandled())
    #expect(try folder.names() == ["handled", "handled/\(name)"])
    #expect(try CrashKit.storedReports(in: folder.path).isEmpty)
    let handled = try #require(try CrashKit.storedReports(in: folder.path, includingHandled: true).first)
    #expect(try !handled.markHandled())
    #expect(try handled.remove())
    #expect(try !handled.remove())
    #expect(throws: CrashKit.StoredReportError.self) { try handled.data() }
    #expect(try folder.names() == ["handled"])
  }

  @Test func onlyOneOfManyHandlesAReport() throws {
    let folder = try ReportFolder()
    for day in 1...20 { try folder.add(day: day) }
    let reports = try CrashKit.storedReports(in: folder.path)
    let counts = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for report in reports where (try? report.markHandled()) == true { counts.add(report.name) }
    }
    #expect(counts.values.count == 20 && counts.values.allSatisfy { $0.value == 1 })
  }

  /// What may lie in a folder that others can write to, or that was copied, cut and restored.
  @Test func hostileFilesAreSkipped() throws {
    let folder = try ReportFolder()
    try folder.add(day: 1)
    try folder.write("", to: ReportFolder.name(day: 2))
    try folder.write("not JSON", to: ReportFolder.name(day: 3))
    try folder.write(#"{"schema":"other/1"}"#, to: ReportFolder.name(day: 4))
    try folder.write(String(repeating: "[", count: 100_000), to: ReportFolder.name(day: 5))
    try folder.write(#"{"schema":"# + String(repeating: "{\"a\":", count: 100_000), to: ReportFolder.name(day: 6))
    #expect(mkfifo("\(folder.path)/\(ReportFolder.name(day: 7))", 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(ReportFolder.name(day: 8))", withDestinationPath: "/dev/zero")
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(ReportFolder.name(day: 9))", withIntermediateDirectories: false)
    try folder.write(#"{"schema":"crashkit/1"}"#, to: "20261399T120000.000Z-7-crashReport.json")
    try folder.write(#"{"schema":"crashkit/1"}"#, to: "20261101T120000.000Z-7-.json")
    let huge = try folder.add(day: 10)
    #expect(truncate("\(folder.path)/\(huge)", 65 << 20) == 0)
    var random = SystemRandomNumberGenerator()
    let noise = (0..<65536).map { _ in UInt8.random(in: 0...255, using: &random) }
    try Data(Array(#"{"schema":"crashkit/1","#.utf8) + noise).write(
      to: URL(filePath: folder.path).appending(path: ReportFolder.name(day: 11)))

    let (reports, notes) = StoredReports(try folder.directory).list([.new])
    #expect(reports.map(\.name) == [11, 1].map { ReportFolder.name(day: $0) })
    #expect(notes.count == 9)
    #expect(notes.contains { $0.contains(huge) && $0.contains("too many for a report") })
  }

  @Test func otherFilesHideNoReport() throws {
    let folder = try ReportFolder()
    try folder.add(day: 1)
    let others = 50_010
    for number in 0..<others { #expect(mknod("\(folder.path)/\(number).other", S_IFREG | 0o600, 0) == 0) }
    #expect(try folder.directory.names { $0.hasSuffix(".json") } == [ReportFolder.name(day: 1)])
    #expect(try CrashKit.storedReports(in: folder.path).count == 1)
  }

  /// A clock that was ahead, or a time that somebody chose.
  @Test(arguments: [Int.max, Int.min, 86_400 * 365 * 400])
  func aSeriesWithAnImpossibleTimeIsIgnored(_ seconds: Int) throws {
    // This file system keeps times that no clock shows.
    let folder = try ReportFolder(in: "/dev/shm")
    try folder.add(day: 1)
    try folder.write("+++", to: ".hand-over")
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    try #require(utimensat(AT_FDCWD, "\(folder.path)/.hand-over", times, 0) == 0)
    let given = Counter()
    let notes = HandOver(from: try folder.directory) { given.add($0.name) }
      .run(try CrashKit.storedReports(in: folder.path))
    #expect(notes.isEmpty && given.values == [ReportFolder.name(day: 1): 1])
  }

  @Test func noFolderIsAnError() {
    #expect(throws: CrashKit.StoredReportError.self) { try CrashKit.storedReports(in: "/nowhere/at/all") }
  }

  @Test(arguments: ["20261121T082435.997Z-4711-crashReport.json"])
  func namesReadBack(_ text: String) throws {
    let name = try #require(ReportName(text))
    #expect(name.text == text && name.pid == 4711 && name.kind == "crashReport")
    #expect(name.time.text == "2026-11-21T08:24:35.997Z")
  }

  @Test(arguments: [
    "", ".json", "20261121T082435.997Z-4711-crashReport.json.partial", "20261121T082435.997Z-0-crashReport.json",
    "20261121T082435.997Z--1-crashReport.json", "20261121T082435.997Z-1-crash/Report.json",
    "20261121T082435Z-1-crashReport.json",
  ])
  func otherNamesAreNotReports(_ text: String) {
    #expect(ReportName(text) == nil)
  }

  @Test func timesAreSpelledAsTheyAreRead() {
    for text in ["1970-01-01T00:00:00.000000Z", "2024-02-29T23:59:59.999999Z", "2100-03-01T12:00:00.000001Z"] {
      let time = Timestamp(text)!
      #expect(Timestamp(microsecondsSince1970: time.microseconds).text == text)
      #expect(Timestamp(fileNameText: time.fileNameText)?.microseconds == time.microseconds / 1000 * 1000)
    }
  }
}

/// Counts by name, from several threads.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var counts: [String: Int] = [:]

  func add(_ name: String) { lock.withLock { counts[name, default: 0] += 1 } }
  var values: [String: Int] { lock.withLock { counts } }
}
