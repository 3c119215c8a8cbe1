import CrashReportModel
import Foundation
import Testing

@Suite struct CrashReportTests {
  /// By the function that runs the body: on the crashed thread, on another one, or in a task that waits.
  @Test(arguments: ["threads", "tasks"]) func aProcessOfAnExitTestIsKnown(_ list: String) throws {
    func report(_ symbol: String) throws -> CrashReport {
      let frames = #"{"frames":[]},{"frames":[{"symbol":"main"},{"symbol":"\#(symbol)"}]}"#
      return CrashReport(fields: try JSONParser.parse(Array(#"{"\#(list)":[\#(frames)]}"#.utf8)).object)
    }
    #expect(try report("$s7Testing8ExitTestV14callAsFunctions5NeverOyYaFTY0_").isOfExitTest)
    #expect(try !report("$s7Testing18__checkClosureCall12identifiedBy").isOfExitTest)
  }

  /// A process that was killed left no stack.
  @Test func aKilledProcessOfAnExitTestIsKnown() {
    var report = CrashReport()
    report.ending = CrashReport.Ending(fields: JSONObject())
    #expect(!report.isOfExitTest)
    report.ending?.isExitTest = true
    #expect(report.isOfExitTest)
  }

  @Test func fullReportReadsAndWritesUnchanged() throws {
    let text = try Fixture.text("CrashReportViewTests/Fixtures/full.json")
    let report = try Fixture.report(text)
    #expect(report.json.text + "\n" == text)
  }

  @Test func readsEveryPartOfAReport() throws {
    let report = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    #expect(report.schema == "crashkit/1")
    #expect(report.kind == .crashReport)
    #expect(report.signal?.number == 11)
    #expect(report.signal?.codeName == "SEGV_MAPERR")
    #expect(report.faultAddress == Address(0))
    #expect(report.process?.uptime == 12.345)
    #expect(report.process?.arguments == ["./api", "--port", "8080"])
    #expect(report.images?.first?.baseAddress == Address(0x5555_0000_0000))
    let crashed = try #require(report.threads?.first)
    #expect(crashed.crashed == true)
    #expect(crashed.frames?.first?.isInlined == true)
    #expect(crashed.frames?[1].sourceLocation?.column == 10)
    #expect(crashed.frames?.contains { $0.kind == .omittedFrames && $0.count == 1234 } == true)
    #expect(report.breadcrumbs?[1].attributes?["queue"] == .string("timer"))
    #expect(report.metrics?.first?.value?.isNaN == true)
    #expect(report.memory?.limit == 268_435_456)
    #expect(report.capture?.unanswered?.first?.reason == "all signals blocked")
    #expect(report.symbolication?.missingImages?.last?.foundPath == "/srv/app/api")
  }

  @Test func changingOneKeyLeavesTheOthers() throws {
    var report = try Fixture.report(#"{"new":[1],"kind":"hang","signal":{"number":6,"origin":"kernel"},"last":null}"#)
    report.kind = .capture
    report.signal?.number = 11
    report.cause = "why"
    #expect(
      report.json.text
        == #"{"new":[1],"kind":"capture","signal":{"number":11,"origin":"kernel"},"last":null,"cause":"why"}"#)
    report.cause = nil
    #expect(report.fields["cause"] == nil)
  }

  @Test func keysOfAnotherTypeReadAsAbsent() throws {
    let report = try Fixture.report(
      #"{"schema":1,"kind":"new kind","threads":{},"images":[1,{"name":"a"},null],"faultAddress":"0xzz","memory":[]}"#)
    #expect(report.schema == nil)
    #expect(report.kind == nil)
    #expect(report.threads == nil)
    #expect(report.images?.map(\.name) == ["a"])
    #expect(report.faultAddress == nil)
    #expect(report.memory == nil)
  }

  @Test func passesThroughSwiftsCoders() throws {
    let text = try Fixture.text("CrashReportViewTests/Fixtures/full.json")
    let decoded = try JSONDecoder().decode(CrashReport.self, from: Data(text.utf8))
    let again = try JSONDecoder().decode(CrashReport.self, from: try JSONEncoder().encode(decoded))
    // Foundation's coders do not keep the order of keys.
    #expect(decoded.json.sorted == (try Fixture.report(text)).json.sorted)
    #expect(again.json.sorted == decoded.json.sorted)
  }

  @Test func numbersAreSpelledAsTheFormatSays() {
    #expect(Double.nan.json == .string("nan"))
    #expect((-Double.infinity).json == .string("-inf"))
    #expect(Double(json: .string("inf")) == .infinity)
    #expect(Double(json: .string("0x10")) == nil)
    #expect((1 << 53).json == .number("9007199254740992"))
    #expect((1 << 53 + 1).json == .string("9007199254740993"))
    #expect(Int(json: .string("9007199254740993")) == 9_007_199_254_740_993)
    #expect(Int(json: .number("1e3")) == 1000)
    #expect(Int(json: .number("1.5")) == nil)
    #expect(Int(json: .number("1e400")) == nil)
  }

  @Test func addresses() {
    #expect(Address("0x00007f7b0356df7f")?.value == 0x7f7b_0356_df7f)
    #expect(Address("0xFF")?.description == "0x00000000000000ff")
    #expect(Address(.max).description == "0xffffffffffffffff")
    for wrong in ["", "0x", "1234", "0x+1", "0x-1", "0x1g", "0x00000000000000000"] { #expect(Address(wrong) == nil) }
  }

  @Test func timestamps() throws {
    let moment = try #require(Timestamp("2026-11-21T08:24:35.997252Z"))
    #expect(moment.microseconds == 1_795_249_475_997_252)
    #expect(Timestamp("1970-01-01T00:00:00Z")?.microseconds == 0)
    #expect(Timestamp("2000-02-29T23:59:60.1234567+01:30")?.microseconds == 951_863_400_123_456)
    #expect(try moment.seconds(since: #require(Timestamp("2026-11-21T08:24:34.793252Z"))) == 1.204)
    for wrong in ["", "2026-11-21", "2026-13-01T00:00:00Z", "2026-11-21T08:24:35", "2026-11-21T08:24:35.Z"] {
      #expect(Timestamp(wrong) == nil)
    }
  }
}

extension JSONValue {
  fileprivate var sorted: JSONValue {
    switch self {
    case .object(let object):
      .object(
        JSONObject(
          members: object.members.map { .init(key: $0.key, value: $0.value.sorted) }.sorted { $0.key < $1.key }))
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }
}
