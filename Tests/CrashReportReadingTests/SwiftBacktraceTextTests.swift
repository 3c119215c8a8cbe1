import CrashReportModel
import Foundation
import Testing

@testable import CrashReportReading

/// Texts that the runtime of Swift 6.3 wrote, and what log collectors make of them.
@Suite struct SwiftBacktraceTextTests {
  private func text(_ name: String) throws -> String {
    let bytes = try ReportReaderTests.bytes("CrashReportReadingTests/Fixtures/swift-text-\(name).txt")
    return String(decoding: bytes, as: UTF8.self)
  }

  private func report(_ text: String) throws -> CrashReport {
    let reports = try ReportReader.read(Array(text.utf8))
    #expect(reports.count == 1)
    return try #require(reports.first)
  }

  /// A frame may have any number, also behind a gap.
  @Test func theHighestFrameNumberDoesNotEndTheStack() throws {
    let report = try report(
      """
      *** Program crashed: Bad pointer dereference at 0x0000000000000008 ***

      Thread 0 "app" crashed:

      9223372036854775807 0x0000000000001000 one() in app
      ...
      9223372036854775807 0x0000000000002000 other() in app
      """)
    let frames = try #require(report.threads?.first?.frames)
    #expect(frames.filter { $0.kind != .truncated }.map(\.address) == [Address(0x1000), Address(0x2000)])
  }

  @Test func plain() throws {
    let report = try report(text("plain"))
    #expect(report.signal?.name == "SIGILL")
    #expect(report.description == "Illegal instruction")
    #expect(report.faultAddress == Address(0x0000_55bd_c7fb_b6a3))
    #expect(report.architecture == "x86_64")
    #expect(report.threads?.count == 13)
    #expect(report.omittedImages == 18)
    #expect(report.backtraceTime == 0.03)
    let crashed = try #require(report.threads?.first)
    #expect(crashed.crashed == true)
    #expect(crashed.name == "prog")
    #expect(crashed.registers?["rip"] == .string("0x000055bdc7fbb6a3"))
    #expect(
      report.capturedMemory?["0x000055bdc7fbb6a3"] == .string("0f0b66662e0f1f8400000000 00488d05".filter { $0 != " " }))
    let frames = try #require(crashed.frames)
    #expect(frames.map(\.kind) == [.programCounter, .programCounter, .truncated])
    #expect(frames[0].isInlined == true && frames[0].isSystem == true)
    #expect(frames[1].description == "Table.look(_:) + 19")
    #expect(frames[1].offset == 19)
    #expect(frames[1].image == "prog")
    #expect(frames[1].sourceLocation?.file == "/src/app/prog.swift")
    #expect(frames[1].sourceLocation?.line == 8)
    #expect(frames[1].sourceLocation?.column == 81)
    let image = try #require(report.images?.first)
    #expect(image.buildID == "d4c015b6449a0623e9e529abce48457b92d70769")
    #expect(image.path == "/src/app/prog")
    #expect(image.baseAddress == Address(0x0000_55bd_c7fb_a000))
  }

  @Test func colouredHasTheSameShape() throws {
    let report = try report(text("color"))
    #expect(report.signal?.name == "SIGILL")
    #expect(report.images?.count == 20)
    #expect(report.threads?.first?.frames?.first?.description == "Table.look(_:) + 19")
    #expect(report.threads?.first?.registers?["r15"] != nil)
    #expect(!report.json.text.contains("\\u001b"))
  }

  @Test func asyncFramesAndMessage() throws {
    let report = try report(text("async-color"))
    #expect(report.message == "Fatal error: boom \u{1B}[31m red")
    let kinds = report.threads?.first?.frames?.map(\.kind)
    #expect(kinds?.prefix(3) == [.programCounter, .returnAddress, .asyncResumePoint])
  }

  @Test func framesLeftOutAreCounted() throws {
    let frames = try #require(try report(text("deep")).threads?.first?.frames)
    #expect(frames.first { $0.kind == .omittedFrames }?.count == 287)
    #expect(frames.last?.kind == .truncated)
    #expect(frames[1].kind == .returnAddress)
  }

  /// The moment's length varies, as docker leaves trailing zeros out.
  @Test(arguments: [
    "2026-11-21T15:01:00.12NZ ", "Nov 21 15:0N:00 host app[123]: ", "api-1  | ", "2026-11-21T15:01:0NZ stderr F ",
  ])
  func prefixes(_ prefix: String) throws {
    let lines = try text("plain").split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .flatMap { number, line in
        [prefix.replacing("N", with: "\(number % 10)") + line, "web-1 | 200 GET /index 0x10", "unrelated 3 words"]
      }
    let plain = try report(text("plain"))
    var prefixed = try report(lines.joined(separator: "\n"))
    if prefix.hasPrefix("20") { #expect(prefixed.timestamp != nil) }
    prefixed.timestamp = nil
    #expect(prefixed.json == plain.json)
  }

  @Test func linesInJSONRecords() throws {
    let lines = try text("color").split(separator: "\n", omittingEmptySubsequences: false)
      .map { JSONObject(members: [.init(key: "log", value: .string("\($0)\n"))]).json.text }
    let record = try report(lines.joined(separator: "\n"))
    #expect(record.threads == (try report(text("color"))).threads)
  }

  @Test func severalInOneLog() throws {
    let both = try text("plain") + "something else\n" + text("deep")
    let reports = try ReportReader.read(Array(both.utf8))
    #expect(reports.map { $0.signal?.name } == ["SIGILL", "SIGSEGV"])
  }

  @Test func aCutTextIsReadUpToTheCut() throws {
    let bytes = Array(try text("plain").utf8)
    for length in stride(from: 200, to: bytes.count - 30, by: 97) {
      let reports = try ReportReader.read(Array(bytes[..<length]))
      #expect(reports.first?.capture?.cutShort?.map(\.what) == ["report"])
    }
  }

  @Test func reportsBeyondTheLimitsAreCut() throws {
    func report(threads: Int, frames: Int) throws -> CrashReport {
      let frame = #"{"kind":"returnAddress","address":"0x0000000000001000"}"#
      let stack = Array(repeating: frame, count: frames).joined(separator: ",")
      let thread = #"{"id":1,"frames":["# + stack + "]}"
      let list = Array(repeating: thread, count: threads).joined(separator: ",")
      return try self.report(#"{"schema":"crashkit/1","kind":"crashReport","threads":["# + list + "]}")
    }
    let many = try report(threads: 70_000, frames: 0)
    #expect(many.threads?.count == 65_536)
    #expect(many.capture?.cutShort?.first?.reason == "it has 70000 threads; no more than 65536 threads are read")
    let deep = try report(threads: 11, frames: 50_000)
    #expect(deep.threads?.count == 10)
  }
}
