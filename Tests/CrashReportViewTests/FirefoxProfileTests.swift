import CrashReportModel
import Foundation
import Testing

@testable import CrashReportView

/// What the profiler's own reader needs of the format, which refers to rows by their numbers.
@Suite struct FirefoxProfileTests {
  private struct Profile: Decodable {
    struct Meta: Decodable { var preprocessedProfileVersion: Int }
    struct Functions: Decodable {
      var length: Int
      var name: [Int]
      var source: [Int?]
    }
    struct Frames: Decodable {
      var length: Int
      var `func`: [Int]
      var line: [Int?]
    }
    struct Stacks: Decodable {
      var length: Int
      var frame: [Int]
      var prefix: [Int?]
    }
    struct Sources: Decodable { var filename: [Int] }
    struct Shared: Decodable {
      var stringArray: [String]
      var sources: Sources
      var funcTable: Functions
      var frameTable: Frames
      var stackTable: Stacks
    }
    struct Samples: Decodable {
      var length: Int
      var stack: [Int?]
      var time: [Double]
      var weight: [Double]
      var weightType: String
    }
    struct Thread: Decodable {
      var name: String
      var pid: String
      var tid: String
      var samples: Samples
    }
    var meta: Meta
    var shared: Shared
    var threads: [Thread]

    init(of reports: [CrashReport]) throws {
      let text = FirefoxProfileFile.text(of: reports)
      self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// Functions with their lines, outermost first.
    func stack(_ number: Int?) throws -> [String] {
      var next = number
      var calls: [String] = []
      while let stack = next {
        try #require(stack < shared.stackTable.length)
        let frame = shared.stackTable.frame[stack]
        let function = shared.frameTable.func[frame]
        let line = shared.frameTable.line[frame].map { ":\($0)" } ?? ""
        calls.append(shared.stringArray[shared.funcTable.name[function]] + line)
        if let prefix = shared.stackTable.prefix[stack] { try #require(prefix < stack) }
        next = shared.stackTable.prefix[stack]
      }
      return calls.reversed()
    }
  }

  private static func frame(_ name: String, _ line: Int) -> String {
    #"{"kind":"returnAddress","description":"\#(name)","sourceLocation":{"file":"/a.swift","line":\#(line)}}"#
  }

  private static func hang() throws -> CrashReport {
    let samples = [(0.25, "parse"), (0.5, "load"), (0.75, "parse")].map { after, name in
      #"{"after":\#(after),"frames":[\#(frame(name, 7)),\#(frame("main", 3))]}"#
    }
    let text = #"""
      {"kind":"hang","process":{"pid":42},"threads":[{"id":42,"frames":[]}],
      "hang":{"thread":42,"duration":1.25,"samples":[\#(samples.joined(separator: ","))]}}
      """#
    return CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }

  private static func crash() throws -> CrashReport {
    let text = #"""
      {"kind":"crashReport","process":{"pid":43},
      "threads":[{"id":43,"frames":[\#(frame("main", 3))]},{"id":44,"name":"worker","frames":[]}]}
      """#
    return CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }

  @Test func aHangIsAThreadWithSamplesInTime() throws {
    let profile = try Profile(of: [try Self.hang()])
    #expect(profile.meta.preprocessedProfileVersion == 60)
    let thread = try #require(profile.threads.first)
    #expect(profile.threads.count == 1 && thread.pid == "42" && thread.name.hasPrefix("42"))
    #expect(thread.samples.time == [0, 250, 500] && thread.samples.weight == [250, 250, 500])
    #expect(thread.samples.weightType == "tracing-ms")
    let stacks = try thread.samples.stack.map(profile.stack)
    #expect(stacks == [["main:3", "parse:7"], ["main:3", "load:7"], ["main:3", "parse:7"]])
    #expect(thread.samples.stack[0] == thread.samples.stack[2])
    #expect(profile.shared.sources.filename.map { profile.shared.stringArray[$0] } == ["/a.swift"])
  }

  @Test func eachThreadOfOtherReportsHasOneSample() throws {
    let profile = try Profile(of: [try Self.crash(), try Self.hang()])
    #expect(profile.threads.map(\.pid) == ["43", "43", "42"])
    #expect(Set(profile.threads.map(\.tid)).count == 3)
    #expect(profile.threads.map(\.samples.length) == [1, 1, 3])
    #expect(try profile.stack(profile.threads[0].samples.stack[0]) == ["main:3"])
    #expect(profile.threads[1].samples.stack == [nil] && profile.threads[1].samples.weightType == "samples")
    // Both reports have the same frame of main.
    #expect(profile.shared.frameTable.length == 3)
  }

  @Test func hostileReportsStayTables() throws {
    let profile = try Profile(of: [try HostileReport.report(), CrashReport()])
    #expect(!profile.threads.isEmpty)
    for thread in profile.threads {
      #expect(
        thread.samples.stack.count == thread.samples.length && thread.samples.weight.count == thread.samples.length)
      for stack in thread.samples.stack { _ = try profile.stack(stack) }
    }
    #expect(!FirefoxProfileFile.text(of: [try HostileReport.report()]).contains("\u{1B}"))
  }
}
