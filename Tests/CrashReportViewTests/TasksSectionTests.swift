import CrashReportModel
import CrashReportReading
import TestEnvironment
import Testing

@testable import CrashReportView

/// A few tasks of the program's own, and many that wait for a reply.
@Suite struct TasksSectionTests {
  private func report(places: Int, kind: String) throws -> CrashReport {
    var tasks = (1..<places).map { number in
      #"{"id": \#(number), "state": "suspended", "awaits": {"kind": "stream"}, "frames": [\#(frame(number))]}"#
    }
    let last = #""state": "suspended", "awaits": {"kind": "continuation"}"#
    tasks.append(#"{"id": 100, \#(last), "alike": 3, "frames": [\#(frame(100))]}"#)
    tasks += [101, 102].map { #"{"id": \#($0), \#(last), "framesOf": 100}"# }
    let text = """
      {"schema": "crashkit/1", "kind": "\(kind)", "tasks": [\(tasks.joined(separator: ", "))],
       "threads": [{"id": 1, "name": "main", "frames": []}]}
      """
    return try #require(try ReportReader.read(Array(text.utf8)).first)
  }

  private func frame(_ number: Int) -> String {
    #"{"kind": "asyncResumePoint", "address": "0x0000000000001000", "description": "place\#(number)()", "#
      + #""symbol": "place\#(number)", "sourceLocation": {"file": "/app/Main.swift", "line": \#(number), "column": 1}}"#
  }

  private func lines(_ report: CrashReport) -> [Substring] {
    TextReport(options: .init(showsSource: false)).text(of: report).split(separator: "\n")
  }

  /// They may all run on one thread, whose stack is long.
  @Test func runningTasksAreBounded() throws {
    let tasks = (1...3000).map { #"{"id": \#($0), "state": "running", "thread": 1}"# }.joined(separator: ", ")
    let frames = (1...3000).map { frame($0) }.joined(separator: ", ")
    let text = """
      {"schema": "crashkit/1", "kind": "capture", "tasks": [\(tasks)],
       "threads": [{"id": 1, "name": "main", "frames": [\(frames)]}]}
      """
    let report = try #require(try ReportReader.read(Array(text.utf8)).first)
    let start = thread_time_ns()
    let lines = lines(report)
    let time = Duration.nanoseconds(thread_time_ns() - start)
    #expect(lines.count { $0.contains(" runs on thread 1") } == 256)
    #expect(lines.contains("   ... and 2744 more run; the report has all"))
    // Of a stack for each task it would be minutes.
    #expect(time < .seconds(20))
  }

  @Test func thePlaceWithMostTasksComesFirst() throws {
    let lines = try lines(report(places: 15, kind: "crashReport"))
    let summary = try #require(lines.firstIndex(of: "17 Swift tasks: 17 suspended"))
    #expect(lines[summary + 1].hasPrefix("   3 tasks wait for a continuation"), "\(lines[summary + 1])")
    #expect(lines[summary + 2].hasPrefix("   task 1 waits for a stream"))
    #expect(lines[summary + 13] == "   ... and at 3 more places")
    #expect(lines[summary + 14].hasPrefix("Task 1 waits for a stream"))
  }

  /// What a server's libraries wait for hides what its own tasks wait for, unless that stands first.
  @Test func placesInTheProgramsOwnCodeComeFirst() throws {
    func frame(_ name: String, _ file: String) -> String {
      #"{"kind": "asyncResumePoint", "address": "0x0000000000001000", "description": "\#(name)", "symbol": "\#(name)", "#
        + #""sourceLocation": {"file": "\#(file)", "line": 7}}"#
    }
    let library = frame("next()", "/app/.build/checkouts/swift-nio/Sources/NIOCore/Next.swift")
    func task(_ id: Int, _ frames: String) -> String {
      #"{"id": \#(id), "state": "suspended", "awaits": {"kind": "stream"}, "frames": [\#(frames)]}"#
    }
    let libraries = (1...14).map { task($0, library.replacing("next()", with: "next\($0)()")) }
    let running = #"{"id": 90, "state": "running", "thread": 1}"#
    let tasks = libraries + [task(80, frame("load()", "/app/Load.swift")), running]
    let thread = #"{"id": 1, "name": "worker", "frames": [\#(frame("parse()", "/app/Parse.swift"))]}"#
    let text = """
      {"schema": "crashkit/1", "kind": "capture", "tasks": [\(tasks.joined(separator: ", "))], "threads": [\(thread)]}
      """
    let lines = lines(try #require(try ReportReader.read(Array(text.utf8)).first))
    let summary = try #require(lines.firstIndex(of: "16 Swift tasks: 1 running, 15 suspended"))
    #expect(lines[summary + 1] == "   task 90 runs on thread 1 \"worker\" in parse(), /app/Parse.swift:7")
    #expect(lines[summary + 2] == "   task 80 waits for a stream in load(), /app/Load.swift:7")
    #expect(lines[summary + 3] == "   task 1 waits for a stream in next1(), swift-nio/Sources/NIOCore/Next.swift:7")
  }

  @Test func aFewPlacesNeedNoOverview() throws {
    let lines = try lines(report(places: 3, kind: "crashReport"))
    let summary = try #require(lines.firstIndex(of: "5 Swift tasks: 5 suspended"))
    #expect(lines[summary + 1].hasPrefix("Task 1 waits for a stream"))
  }

  @Test func aCutSearchSaysThatTasksMayBeMissing() throws {
    var report = try report(places: 3, kind: "crashReport")
    var capture = report.capture ?? .init(fields: JSONObject())
    var search = CrashReport.TaskSearch(fields: JSONObject())
    search.isCut = true
    capture.tasks = search
    report.capture = capture
    #expect(lines(report).contains("at least 5 Swift tasks: 5 suspended; the search ran out of time"))
  }

  @Test func stuckTasksComeFirst() throws {
    var report = try report(places: 50, kind: "stuckTask")
    report.tasks?[48].isStuck = true
    let lines = lines(report)
    let summary = try #require(lines.firstIndex(of: "52 Swift tasks: 52 suspended"))
    #expect(lines[summary + 1].hasPrefix("   task 49 waits") && lines[summary + 1].hasSuffix(" (stuck)"))
    #expect(lines[summary + 2].hasPrefix("   3 tasks wait"))
    #expect(lines.first { $0.hasPrefix("Task ") }?.hasPrefix("Task 49 ") == true)
    let thread = try #require(lines.firstIndex { $0.hasPrefix("Thread 1 ") })
    #expect(try thread > #require(lines.firstIndex { $0.contains("more places; the report has all") }))
  }

  @Test(arguments: [("capture", true), ("crashReport", false)])
  func aCaptureBeginsWithTheTasks(_ kind: String, _ isFirst: Bool) throws {
    let lines = try lines(report(places: 15, kind: kind))
    let summary = try #require(lines.firstIndex(of: "17 Swift tasks: 17 suspended"))
    let thread = try #require(lines.firstIndex { $0.hasPrefix("Thread 1 ") })
    let chain = try #require(lines.firstIndex { $0.hasPrefix("Task 1 ") })
    #expect((summary < thread) == isFirst && thread < chain)
  }
}
