import Foundation
import Testing

/// The search for all tasks, in a process that makes up a Swift runtime.
@Suite(.serialized) struct FoundTaskTests {
  private struct Report: Decodable {
    struct Task: Decodable {
      var id: Int
      var name: String?
      var frames: [HandlerProbe.Report.Frame]?
    }
    struct Search: Decodable {
      var none: String?
      var count: Int?
      var time: Double?
      var isCut: Bool?
    }
    struct Capture: Decodable {
      var tasks: Search
      var cutShort: [HandlerProbe.Report.Cut]
    }
    var tasks: [Task]?
    var omittedTasks: Int?
    var capture: Capture
  }

  private func report(of run: HandlerProbe, end: HandlerProbe.End = .killed(signal: SIGSEGV)) throws -> Report {
    #expect(run.end == end, "\(run.errors)")
    let file = try #require(try run.reportFiles().first)
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
  }

  /// What the tests below take away.
  @Test func aTaskIsFound() throws {
    let report = try report(of: HandlerProbe("tasks-found"))
    let task = try #require(report.tasks?.first)
    #expect(report.tasks?.count == 1 && task.id == 5 && task.name == "fetch token=***")
    #expect(task.frames?.map(\.kind) == Array(repeating: "asyncResumePoint", count: 3))
    #expect(report.capture.cutShort.isEmpty)
  }

  @Test(arguments: [
    ("tasks-of-unknown-version", "a Swift concurrency runtime of another layout"),
    ("tasks-of-unknown-size", "a Swift concurrency runtime of another layout"),
    ("tasks-without-slabs", "a Swift concurrency runtime that does not say what tasks allocate from"),
  ])
  func aRuntimeOfAnotherLayoutHasNoTasks(_ name: String, _ reason: String) throws {
    let report = try report(of: HandlerProbe(name))
    #expect(report.tasks == nil && report.omittedTasks == nil)
    #expect(report.capture.tasks.none == reason)
    #expect(report.capture.cutShort.isEmpty)
  }

  @Test(arguments: [
    ("tasks-chain-loop", 3...9), ("tasks-chain-to-nowhere", 3...3), ("tasks-chain-without-code", 2...2),
  ])
  func aDamagedChainIsCutAndTheNextTaskShown(_ name: String, _ points: ClosedRange<Int>) throws {
    let report = try report(of: HandlerProbe(name))
    try #require(report.tasks?.map(\.id) == [4, 5])
    let damaged = try #require(report.tasks?[0].frames?.map(\.kind))
    #expect(damaged.last == "truncated" && points.contains(damaged.count - 1), "\(damaged)")
    #expect(report.tasks?[1].frames?.last?.kind == "asyncResumePoint")
  }

  @Test func aTaskThatPrefersAnExecutorIsFound() throws {
    #expect(try report(of: HandlerProbe("tasks-with-executor")).tasks?.map(\.id) == [4, 5])
  }

  /// A thread's handler reads the name of its task, beside which other tasks lie.
  @Test func aCopyOfATaskIsNotATask() throws {
    let report = try report(of: HandlerProbe("tasks-beside-name-alive"), end: .exited(0))
    #expect(report.tasks?.map(\.id) == [5])
  }

  // MARK: The time limit

  /// 150 ms, and what a busy machine takes to see that they are over.
  private static let limit = 0.4

  private func expectCut(_ run: HandlerProbe) throws {
    let report = try report(of: run)
    let time = try #require(report.capture.tasks.time)
    #expect(time > 0.15 && time < Self.limit)
    #expect(report.capture.tasks.isCut == true)
    #expect(report.capture.cutShort == [.init(what: "tasks", reason: "time limit")])
    #expect(report.tasks?.isEmpty == false)
  }

  /// 2,000 tasks stand in a few pieces of memory, and the chain of each takes milliseconds.
  @Test func longChainsDoNotOutlastTheLimit() throws {
    try expectCut(HandlerProbe("tasks-with-long-chains"))
  }

  /// Each page takes 40 ms.
  @Test func slowMemoryDoesNotOutlastTheLimit() throws {
    let run = try HandlerProbe("tasks-in-slow-memory")
    // It may not ask for such memory.
    if run.end == .exited(69) { try Test.cancel("only root may bring pages late") }
    try expectCut(run)
  }

  /// A process that goes on has more of the clock, since others may have the processors: eight pages take 320 ms.
  @Test func aSearchOfALivingProcessHasTheTimeThatItWaits() throws {
    let run = try HandlerProbe("tasks-in-slow-memory-alive")
    if run.end == .exited(69) { try Test.cancel("only root may bring pages late") }
    let report = try report(of: run, end: .exited(0))
    #expect(try #require(report.capture.tasks.time) > 0.3)
    #expect(report.capture.tasks.isCut == nil && report.capture.cutShort.isEmpty)
    #expect(report.tasks?.map(\.id) == [5])
  }
}
