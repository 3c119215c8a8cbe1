import CrashReportModel
import Foundation
import Testing

@testable import CrashReportReading

@Suite struct NumberedLinesTests {
  /// The lines as `CRASHKIT_OPTIONS=output=stderr` writes them.
  private func lines(of bytes: [UInt8], id: String) -> [String] {
    let text = Array(Data(bytes).base64EncodedString().utf8)
    let chunks = stride(from: 0, to: text.count, by: 768).map { text[$0..<min($0 + 768, text.count)] }
    let numbered = chunks.enumerated().map {
      "crashkit-report \(id) \($0 + 1) \(String(decoding: $1, as: UTF8.self))"
    }
    let checksum = String(CRC32.checksum(bytes), radix: 16)
    let padded = String(repeating: "0", count: 8 - checksum.count) + checksum
    return numbered + ["crashkit-report \(id) end \(chunks.count) \(padded)"]
  }

  private func read(_ lines: [String]) throws -> [CrashReport] {
    try ReportReader.read(Array(lines.joined(separator: "\n").utf8))
  }

  private let bytes: [UInt8]

  init() throws {
    bytes = try ReportReaderTests.bytes(ReportReaderTests.full)
  }

  @Test func theChecksumFollowsTheStandard() {
    #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
  }

  @Test func readsReportsThatAreMixedWithOtherLinesAndEachOther() throws {
    let first = lines(of: bytes, id: "0a1b2c3d-4711")
    let second = lines(of: Array(#"{"schema":"crashkit/1","cause":"second"}"#.utf8), id: "ffffffff-1")
    var log: [String] = ["starting"]
    for (index, line) in first.enumerated() {
      log.append("2026-11-21T08:24:35.99Z stderr F \(line)")
      log.append("other output \(index)")
      if index < second.count { log.append(#"{"log":"\#(second[index])\n"}"#) }
    }
    let reports = try read(log + [first[0]])
    #expect(reports.count == 2)
    #expect(reports.first?.json.text == String(decoding: bytes.dropLast(), as: UTF8.self))
    #expect(reports.last?.cause == "second")
    #expect(reports.last?.capture == nil)
  }

  @Test func aMissingLineCutsTheReportThere() throws {
    var log = lines(of: bytes, id: "0a1b2c3d-4711")
    log.remove(at: 2)
    let report = try #require(try read(log).first)
    #expect(report.capture?.cutShort?.first?.reason == "line 3 of \(log.count) is missing")
    #expect(report.signal?.number == 11)
  }

  @Test func framesThatWereLostComeFromTheSummary() throws {
    let report = #"""
      {"schema":"crashkit/1","kind":"crashReport","attributes":{"kept":"yes"},"padding":"\#(String(repeating: "x", count: 900))"}
      """#
    let summary = [
      "CrashKit[4711]: api died: null pointer dereference (SIGSEGV, SEGV_MAPERR at 0x0000000000000000)",
      #"CrashKit[4711]: thread 4713 "worker", 12 threads in all"#, "CrashKit[4711]:   0 api+0x1f2a0",
      "CrashKit[4711]: image api 5f3cab /srv/app/api",
    ]
    let log = [lines(of: Array(report.utf8), id: "0a1b2c3d-4711")[0]] + summary
    let reports = try read(log)
    #expect(reports.count == 1)
    let found = try #require(reports.first)
    #expect(found.attributes?["kept"] == .string("yes"))
    #expect(found.threads?.first?.id == 4713)
    #expect(found.threads?.first?.frames?.first?.address == Address(0x1f2a0))
    #expect(found.images?.map(\.buildID) == ["5f3cab"])
    #expect(found.cause == "null pointer dereference")
    #expect(found.process?.pid == 4711)
    #expect(
      found.capture?.cutShort?.map(\.reason) == [
        "the log has the report only up to line 1",
        "its stack is from the summary in the same log, which has only the top frames, with offsets into images instead of addresses",
      ])
    // A report that has its threads needs none, and one without any loss has none to add.
    let whole = #"{"schema":"crashkit/1","process":{"pid":4711},"threads":[]}"#
    #expect(try read(lines(of: Array(whole.utf8), id: "0a1b2c3d-4711") + summary).map(\.threads) == [[]])
  }

  /// In a container every run has process id 1.
  @Test func summariesOfSeveralRunsAreKeptApart() throws {
    func report(_ name: String) -> [String] {
      let padding = String(repeating: "x", count: 900)
      let text = #"{"schema":"crashkit/1","cause":"\#(name)","process":{"pid":1},"padding":"\#(padding)"}"#
      return lines(of: Array(text.utf8), id: "0a1b2c3\(name)-1")
    }
    func summary(_ name: String) -> [String] {
      ["CrashKit[1]: api died: \(name) (SIGSEGV)", "CrashKit[1]:   0 image\(name)+0x10"]
    }
    let reports = try read([report("a")[0]] + summary("a") + report("b") + summary("b") + summary("c"))
    #expect(reports.map(\.cause) == ["a", "b", "c"])
    #expect(reports.map { $0.threads?.first?.frames?.first?.image } == ["imagea", nil, "imagec"])
  }

  @Test func aMissingEndIsReported() throws {
    let log = lines(of: bytes, id: "0a1b2c3d-4711")
    let report = try #require(try read(Array(log[..<4])).first)
    #expect(report.capture?.cutShort?.first?.reason == "the log has the report only up to line 4")
    // All of the report is there: the closing line alone is no loss.
    #expect(try read(Array(log.dropLast())).first?.capture?.cutShort?.map(\.what) == ["breadcrumbs"])
  }

  @Test func aChangedByteIsReported() throws {
    let changed = Array(#"{"schema":"crashkit/1","cause":"seconD"}"#.utf8)
    var log = lines(of: changed, id: "0a1b2c3d-4711")
    log[1] = lines(of: Array(#"{"schema":"crashkit/1","cause":"second"}"#.utf8), id: "0a1b2c3d-4711")[1]
    let report = try #require(try read(log).first)
    #expect(report.capture?.cutShort?.first?.reason == "its checksum is wrong: the log changed it")
  }

  @Test(arguments: [
    "crashkit-report", "crashkit-report 0a1b2c3d-1", "crashkit-report 0a1b2c3d-1 0 QUJD",
    "crashkit-report 0a1b2c3d-1 1 ", "crashkit-report 0a1b2c3d-1 end 1 zzzzzzzz", "crashkit-report zz-1 1 QUJD",
    "crashkit-report 0a1b2c3d-1 99999999999999999999 QUJD", "crashkit-report 0a1b2c3d-1 1 QUJD",
  ])
  func wrongLinesMakeNoReport(_ line: String) {
    #expect(throws: ReadingError.self) { try read([line]) }
  }
}
