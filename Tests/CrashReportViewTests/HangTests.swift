import CrashReportModel
import CrashReportView
import Foundation
import Testing

/// A hang of the main thread: two samples at one place, one at another; and what tools for profiles are given of it.
@Suite struct HangTests {
  private static func frame(_ name: String, _ line: Int, isSystem: Bool = false) -> String {
    #"{"kind":"returnAddress","address":"0x0000000000010010","description":"\#(name)","image":"api","#
      + (isSystem ? #""system":true,"# : "")
      + #""sourceLocation":{"file":"/src/a;b.swift","line":\#(line),"column":3}}"#
  }

  private static func sample(_ after: Double, _ frames: [String]) -> String {
    #"{"time":"2026-11-21T08:24:35Z","after":\#(after),"frames":[\#(frames.joined(separator: ","))]}"#
  }

  private static let busy = [frame("parse(_:)", 7), frame("load()", 20), frame("main", 3)]
  private static let asleep = [frame("read", 1, isSystem: true), frame("load()", 21), frame("main", 3)]

  private static func report(ended: Bool = true, recovered: Bool = true) throws -> CrashReport {
    let samples = [sample(0.25, busy), sample(0.5, asleep), sample(0.75, busy)].joined(separator: ",")
    let text = #"""
      {"schema":"crashkit/1","kind":"hang","description":"main queue did not run","application":{"name":"api"},
      "threads":[{"id":7,"name":"api","frames":[\#(busy.joined(separator: ","))]},{"id":8,"name":"io;1","frames":[]}],
      "hang":{"queue":"main","thread":7,"threshold":0.25,"duration":1.25,"ended":\#(ended),"recovered":\#(recovered),
      "samples":[\#(samples)],"omittedSamples":0}}
      """#
    return CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }

  @Test func theHeadlineHasTheLengthOfTheHang() throws {
    let lines = { (report: CrashReport) in TextReport().text(of: report).split(separator: "\n") }
    #expect(
      lines(try Self.report())[0]
        == #"api hung in thread 7 "api": main queue did not run for 1.3 s, recovered; 3 samples"#)
    #expect(lines(try Self.report(recovered: false))[0].hasSuffix("1.3 s, not recovered; 3 samples"))
    #expect(
      lines(try Self.report(ended: false, recovered: false))[0]
        .hasSuffix("for at least 1.3 s, and its end was not seen; 3 samples"))
  }

  /// The innermost function of the program that most samples have, and whether the thread ran.
  @Test(arguments: [
    (["signal", "procSyscall", "signal"], 0.4, "it computed in parse(_:) (66 % of 3 samples)"),
    (["procSyscall", "procSyscall", "procSyscall"], 0.4, "it computed in parse(_:) (66 % of 3 samples)"),
    (["procSyscall", "procSyscall", "signal"], 0.01, "it waited in parse(_:) (66 % of 3 samples)"),
  ])
  func theHeadlineNamesTheCulprit(_ ways: [String], _ time: Double, _ words: String) throws {
    var report = try Self.report()
    for (index, way) in ways.enumerated() { report.hang?.samples?[index].capturedBy = way }
    report.hang?.observedFor = 0.5
    var thread = CrashReport.Hang.HungThread(fields: JSONObject())
    thread.id = 7
    thread.processorTime = time
    report.hang?.threads = [thread]
    let headline = TextReport().text(of: report).split(separator: "\n")[0]
    #expect(headline == #"api hung in thread 7 "api": main queue did not run for 1.3 s, recovered: \#(words)"#)
  }

  @Test func aStarvedPoolNamesWhatItsThreadsDo() throws {
    let frames = { (frames: [String]) in frames.joined(separator: ",") }
    let text = #"""
      {"schema":"crashkit/1","kind":"starvedPool","description":"task pool of medium priority did not run",
      "application":{"name":"api"},
      "threads":[{"id":7,"name":"pool","state":"sleeping","frames":[\#(frames(Self.asleep))],
      "waitingFor":{"address":"0x0000000000001000","type":"mutex","owner":9}},
      {"id":8,"name":"pool","state":"sleeping","frames":[\#(frames(Self.asleep))]},{"id":9,"name":"db","frames":[]}],
      "hang":{"subject":"pool","name":"medium","thread":7,"threshold":0.25,"duration":1.25,"observedFor":1,"ended":true,
      "recovered":true,"threads":[{"id":7,"processorTime":0},{"id":8,"processorTime":BUSY}],"samples":[],
      "omittedSamples":0}}
      """#
    func lines(_ busy: String) throws -> [Substring] {
      let report = CrashReport(
        fields: try JSONParser.parse(Array(text.replacingOccurrences(of: "BUSY", with: busy).utf8)).object)
      return TextReport().text(of: report).split(separator: "\n")
    }
    let start = "api starved its tasks: task pool of medium priority did not run for 1.3 s, recovered: "
    #expect(try lines("0.1")[0] == start + "its 2 threads waited in load()")
    #expect(try lines("0.9")[0] == start + "of its 2 threads 1 waited in load(), 1 computed in load()")
    // It was caught at work, and had little of a busy machine.
    let caught = text.replacingOccurrences(of: #""state":"sleeping""#, with: #""state":"running""#)
      .replacingOccurrences(of: "BUSY", with: "0.1")
    let report = CrashReport(fields: try JSONParser.parse(Array(caught.utf8)).object)
    #expect(TextReport().text(of: report).hasPrefix(start + "its 2 threads computed in load()"))
    #expect(
      try lines("0.1").contains(
        #"   thread 7 "pool" waited in load(), for the mutex at 0x0000000000001000, held by thread 9 "db""#))
  }

  /// Any thread of the pool may run an actor: the one that is in a method of it does.
  @Test(arguments: [
    ("returnAddress", #"thread 8 "pool" waited in Ledger.book(_:)"#),
    ("asyncResumePoint", "which thread ran it is not known"),
  ])
  func anActorsThreadIsFoundByItsStack(_ kind: String, _ words: String) throws {
    let frames = [Self.frame("Ledger.book(_:)", 7).replacing("returnAddress", with: kind), Self.frame("serve()", 20)]
    let text = #"""
      {"schema":"crashkit/1","kind":"hang","description":"actor Ledger did not run","application":{"name":"api"},
      "threads":[{"id":7,"name":"api","state":"sleeping","frames":[\#(Self.frame("main", 3))]},
      {"id":8,"name":"pool","state":"sleeping","frames":[\#(frames.joined(separator: ","))]}],
      "hang":{"subject":"actor","name":"Ledger","threshold":0.25,"duration":1.25,"ended":true,"recovered":true,"samples":[]}}
      """#
    let report = CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
    let lines = TextReport().text(of: report).split(separator: "\n")
    let separator = kind == "returnAddress" ? ": " : "; "
    #expect(lines[0] == "api hung: actor Ledger did not run for 1.3 s, recovered\(separator)\(words)")
    let first = try #require(lines.first { $0.hasPrefix("Thread ") })
    #expect(first.hasPrefix(kind == "returnAddress" ? "Thread 8 " : "Thread 7 "))
  }

  @Test func samplesAreMerged() throws {
    let text = TextReport().text(of: try Self.report())
    let start = try #require(text.firstRange(of: "3 samples of thread 7"))
    let tree = text[start.lowerBound...].split(separator: "\n").prefix(6)
    #expect(
      tree == [
        #"3 samples of thread 7 "api" while it hung, outermost call first"#,
        " > 3  main  /src/a;b.swift:3:3",
        " > 2    load()  /src/a;b.swift:20:3",
        " > 2    parse(_:)  /src/a;b.swift:7:3",
        " > 1    load()  /src/a;b.swift:21:3",
        "   1    read  a;b.swift:1:3",
      ])
  }

  @Test func collapsedStacksCountEqualOnes() throws {
    #expect(
      CollapsedStacks.text(of: try Self.report())
        == "7 \"api\";main;load();parse(_:) 2\n7 \"api\";main;load();read 1\n")
  }

  /// Of other reports, each thread is one sample; nothing in a name ends an entry or a line.
  @Test func aReportWithoutSamplesHasOneForEachThread() throws {
    var report = try Self.report()
    report.hang = nil
    report.threads?[1].name = "io;\n1"
    let lines = try #require(CollapsedStacks.text(of: report)).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0] == "7 \"api\";main;load();parse(_:) 1")
    #expect(lines[1].hasPrefix("8 \"io:") && lines[1].filter { $0 == ";" }.isEmpty)
    let file = try JSONDecoder().decode(Speedscope.self, from: Data(SpeedscopeFile.text(of: report).utf8))
    #expect(file.profiles[0].unit == "none")
    #expect(file.profiles[0].weights == [1, 1])
  }

  /// speedscope's src/lib/file-format-spec.ts, as far as a sampled profile needs it.
  private struct Speedscope: Decodable {
    struct Frame: Decodable, Equatable {
      var name: String
      var file: String?
      var line: Int?
      var col: Int?
    }
    struct Shared: Decodable { var frames: [Frame] }
    struct Profile: Decodable {
      var type: String
      var name: String
      var unit: String
      var startValue: Double
      var endValue: Double
      var samples: [[Int]]
      var weights: [Double]
    }
    var schema: String
    var shared: Shared
    var profiles: [Profile]
    enum CodingKeys: String, CodingKey {
      case shared, profiles
      case schema = "$schema"
    }
  }

  @Test func speedscopeTakesTheSamples() throws {
    let text = SpeedscopeFile.text(of: try Self.report())
    let file = try JSONDecoder().decode(Speedscope.self, from: Data(text.utf8))
    #expect(file.schema == "https://www.speedscope.app/file-format-schema.json")
    let profile = try #require(file.profiles.first)
    #expect(file.profiles.count == 1)
    #expect(profile.type == "sampled")
    #expect(profile.unit == "seconds")
    #expect(profile.weights == [0.25, 0.25, 0.5])
    #expect(profile.startValue == 0 && profile.endValue == 1)
    let stacks = profile.samples.map { $0.map { file.shared.frames[$0].name } }
    #expect(stacks[0] == ["7 \"api\"", "main", "load()", "parse(_:)"])
    #expect(stacks[1] == ["7 \"api\"", "main", "load()", "read"])
    #expect(profile.samples[0] == profile.samples[2])
    #expect(file.shared.frames.contains(.init(name: "parse(_:)", file: "/src/a;b.swift", line: 7, col: 3)))
  }

  /// The views that make a tree of the calls do not recurse with it.
  @Test func aDeepStackOverflowsNoStack() throws {
    let deep = (0..<8000).map { Self.frame("f\($0)", 1) }
    var report = try Self.report()
    let text = #"{"samples":[\#(Self.sample(0.25, deep))]}"#
    report.hang?.samples = CrashReport.Hang(fields: try JSONParser.parse(Array(text.utf8)).object).samples
    #expect(TextReport().text(of: report).contains("more calls are not shown"))
    #expect(HTMLReport.text(of: [VerifiedReport(report: report)], options: .init()).contains("Flame graph of 1 sample"))
  }
}
