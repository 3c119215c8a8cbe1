import Foundation
import Testing

@Suite struct GroupTests {
  private let scratch = try! Scratch()

  /// A report that is symbolicated already, of a death in `function`.
  private func report(
    _ function: String, at time: String, version: String = "1.0", host: String = "", complete: Bool = true
  ) -> String {
    let value = String(String(abs(function.utf8.reduce(7) { $0 &* 31 &+ Int($1) }), radix: 16).suffix(16))
    let padded = String(repeating: "0", count: 16 - value.count) + value
    let missing = complete ? "" : #"{"name":"api","searched":[]}"#
    let attributes = host.isEmpty ? "" : #","attributes":{"host.name":"\#(host)"}"#
    return #"{"schema":"crashkit/1","timestamp":"\#(time)","kind":"crashReport","process":{"pid":1,"name":"api"},"#
      + #""application":{"name":"api","version":"\#(version)"}\#(attributes),"symbolication":{"missingImages":[\#(missing)]},"#
      + #""fingerprint":{"value":"2-\#(padded)","class":"trap","functions":["\#(function)","run()"]}}"#
  }

  private struct Groups: Decodable {
    struct Group: Decodable {
      struct Representative: Decodable {
        var source: String
        var why: String
      }
      var title: String
      var count: Int
      var firstSeen: String?
      var lastSeen: String?
      var versions: [String: Int]
      var hosts: [String: Int]
      var representative: Representative
    }
    struct Skipped: Decodable {
      var source: String
      var reason: String
    }
    var groups: [Group]
    var reports: Int
    var leftOut: Int
    var skipped: [Skipped]
  }

  private func groups(_ arguments: String..., input: String? = nil, status: Int32 = 0) throws -> Groups {
    let result = try Command.run(Command.crashsym, ["group", "--format", "json"] + arguments, input: input)
    #expect(result.status == status, "\(result.errors)")
    return try JSONDecoder().decode(Groups.self, from: Data(result.output.utf8))
  }

  private func folder() throws -> String {
    let folder = scratch.path("reports")
    try FileManager.default.createDirectory(atPath: folder + "/node", withIntermediateDirectories: true)
    _ = try scratch.write(report("sell()", at: "2026-11-20T08:00:00Z", host: "a"), to: "reports/1.json")
    _ = try scratch.write(
      report("sell()", at: "2026-11-21T08:00:00Z", version: "1.1", host: "b"), to: "reports/node/2.json")
    _ = try scratch.write(
      report("sell()", at: "2026-11-21T09:00:00Z", host: "a", complete: false), to: "reports/node/3.json")
    let more = [report("buy()", at: "2026-11-19T08:00:00+02:00"), report("late()", at: "2026-11-21T10:00:00Z")]
    _ = try scratch.write(more.joined(separator: "\n"), to: "reports/more.jsonl")
    _ = try scratch.write("not to be looked at", to: "reports/notes.txt")
    return folder
  }

  @Test func groupsAreCountedAndSorted() throws {
    let folder = try folder()
    let result = try groups(folder)
    #expect(result.groups.map(\.title) == ["trap in sell()", "trap in late()", "trap in buy()"])
    #expect(result.groups.map(\.count) == [3, 1, 1])
    #expect(result.reports == 5)
    let first = try #require(result.groups.first)
    #expect(first.firstSeen == "2026-11-20T08:00:00Z")
    #expect(first.lastSeen == "2026-11-21T09:00:00Z")
    #expect(first.versions == ["1.0": 2, "1.1": 1])
    #expect(first.hosts == ["a": 2, "b": 1])
    // Not the latest, of which an image's functions are missing.
    #expect(first.representative.source == folder + "/node/2.json")
    #expect(first.representative.why == "the latest complete one")
    #expect(result.groups.last?.representative.source == folder + "/more.jsonl, line 1")
    #expect(result.skipped.isEmpty)
  }

  @Test func onlyRecentReportsAreCounted() throws {
    let folder = try folder()
    let since = try groups("--since", "2026-11-21", folder)
    #expect(since.groups.map(\.count) == [2, 1])
    #expect(since.leftOut == 2)
    #expect(try groups("--since", "2026-11-21T11:00:00+01:00", folder).reports == 1)
    let now = Date.now
    let recent = [now.addingTimeInterval(-600), now.addingTimeInterval(-7200)].map {
      report("f()", at: $0.formatted(.iso8601))
    }
    for (limit, count) in [("30m", 1), ("24h", 2), ("7d", 2), ("1s", 0), ("2w", 2)] {
      #expect(try groups("--since", limit, "-", input: recent.joined(separator: "\n")).reports == count)
    }
    #expect(try groups("--since", "1d", "-", input: report("f()", at: "yesterday")).leftOut == 1)
    for wrong in ["", "d", "7", "7y", "-1d", "2026-13-01", "1e3d", "999999999d"] {
      #expect(try Command.crashsym("group", "--since", wrong, folder).status == 64, "\(wrong)")
    }
  }

  @Test func filesThatAreNotReportsAreListed() throws {
    let folder = try folder()
    _ = try scratch.write(#"{"a":1}"#, to: "reports/0foreign.json")
    _ = try scratch.write("", to: "reports/5empty.json")
    let result = try groups(folder, status: 65)
    #expect(result.reports == 5)
    #expect(result.skipped.map(\.source) == [folder + "/0foreign.json", folder + "/5empty.json"])
    #expect(result.skipped.first?.reason == "JSON, but not a report")
    let named = try groups(folder + "/1.json", scratch.path("gone.json"), status: 66)
    #expect(named.reports == 1)
    let text = try Command.crashsym("group", folder)
    #expect(text.status == 65)
    #expect(text.output.hasSuffix("\n5 reports in 3 groups; 2 skipped\n"))
    #expect(text.errors.contains("crashsym: JSON, but not a report: \(folder)/0foreign.json\n"))
  }

  @Test func linksAndPipesAreNotFollowed() throws {
    let folder = try folder()
    try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder)
    try FileManager.default.createSymbolicLink(atPath: folder + "/9.json", withDestinationPath: "/dev/zero")
    mkfifo(folder + "/8.json", 0o600)
    #expect(try groups(folder).reports == 5)
    let empty = scratch.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    #expect(try Command.crashsym("group", empty).output == "0 reports in 0 groups\n")
  }

  @Test func theTableIsReadableInAPipe() throws {
    let folder = try folder()
    let result = try Command.crashsym("group", folder)
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines[0] == "  COUNT  LAST SEEN (UTC)   FINGERPRINT         WHAT")
    #expect(lines[1].hasPrefix("      3  2026-11-21 09:00  2-"))
    #expect(lines[1].hasSuffix("  trap in sell()"))
    #expect(
      Array(lines[2...4]) == [
        "         called by run()",
        "         first seen 2026-11-20 08:00; api; versions 1.0 (2), 1.1 (1); hosts a (2), b (1)",
        "         see \(folder)/node/2.json: the latest complete one",
      ])
    #expect(!result.output.contains("\u{1B}"))
    #expect(try Command.crashsym("group", "--color", "always", folder).output.contains("\u{1B}[1m"))
    let hostile = try Command.crashsym("group", "-", input: report("\\u001b[2Jf\\n", at: "2026-11-20T08:00:00Z"))
    #expect(hostile.output.contains("trap in \\u{1B}[2Jf\\n\n"))
  }

  /// What died and the path to look at are whole on a narrow terminal; lists are cut.
  @Test func theTableIsReadableOnATerminal() throws {
    let folder = try folder()
    let function = "sell(_:to:at:withTheDiscountOf:becauseOf:)"
    _ = try scratch.write(report(function, at: "2026-11-21T08:00:00Z"), to: "reports/7.json")
    let command = "stty cols 50; \(Command.crashsym) group \(folder)"
    let result = try Command.run("script", ["-qec", command, "/dev/null"], environment: ["NO_COLOR": "1"], input: "")
    let lines = result.output.split(whereSeparator: \.isNewline).map(String.init)
    #expect(lines.contains { $0.hasSuffix("  trap in \(function)") })
    #expect(lines.contains("         see \(folder)/7.json: the latest complete one"))
    #expect(lines.contains("         first seen 2026-11-20 08:00; api; versio…"))
  }

  /// Reports of one fault in processes with other layouts.
  private func crashes(_ count: UInt64) throws -> (program: String, reports: String) {
    let program = try scratch.compile(
      "int answer(void) {\n  return *(volatile int *)0;\n}\nint main(void) { return answer(); }\n", to: "prog", "-g",
      "-O0")
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    let answer = try #require(symbols.first { $0.last == "answer" }.flatMap { UInt64($0[0], radix: 16) })
    func hex(_ number: UInt64) -> String {
      let digits = String(number, radix: 16)
      return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
    }
    let reports = (1...count).map { number in
      let base = 0x5500_0000_0000 + number << 16
      return #"{"schema":"crashkit/1","kind":"crashReport","timestamp":"2026-11-21T08:00:00Z","#
        + #""signal":{"name":"SIGSEGV"},"images":[{"name":"prog","path":"\#(program)","baseAddress":"\#(hex(base))"}],"#
        + #""threads":[{"id":1,"crashed":true,"frames":[{"kind":"programCounter","address":"\#(hex(base + answer + 4))"}]}]}"#
    }
    return (program, reports.joined(separator: "\n"))
  }

  @Test func symbolicatesReportsThatNeedIt() throws {
    let result = try groups("-", input: try crashes(50).reports)
    #expect(result.groups.map(\.count) == [50])
    #expect(result.groups.first?.title == "memory access in answer")
  }

  @Test(.enabled("strace is missing") { try Command.run("sh", ["-c", "command -v strace"]).status == 0 })
  func aFileIsOpenedOnceForAllLayouts() throws {
    let (program, reports) = try crashes(50)
    let log = scratch.path("opened")
    let input = try scratch.write(reports, to: "in.jsonl")
    let trace = try Command.run("strace", ["-f", "-e", "trace=openat", "-o", log, Command.crashsym, "group", input])
    #expect(trace.status == 0)
    let opened = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("\"\(program)\"") }
    #expect(opened.count == 1, "\(opened)")
  }
}
