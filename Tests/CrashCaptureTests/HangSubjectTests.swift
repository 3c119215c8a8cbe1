import Foundation
import Testing

/// Actors, executors and the pool of Swift tasks that hang, seen from outside.
@Suite(.serialized) struct HangSubjectTests {
  private static func run(_ mode: String, _ seconds: String) throws -> (reports: [LiveProbe.Report], output: String) {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("hang-async-probe", [mode, seconds])
    #expect(end == .exit(0))
    return (try probe.reports(), output)
  }

  private static func thread(in output: String) -> Int? {
    output.firstMatch(of: /hung thread ([0-9]+)/).flatMap { Int($0.1) }
  }

  @Test func theMainActorOfAnAsynchronousMainIsTheMainQueue() throws {
    let (reports, output) = try Self.run("main-actor", "1.5")
    #expect(reports.count == 1)
    let hang = try #require(reports.first?.hang)
    #expect(hang.queue == "main" && hang.subject == "queue")
    #expect(hang.recovered && hang.samples.count >= 2)
    #expect(hang.thread == Self.thread(in: output))
  }

  /// Any thread of the pool may run it: the report names none.
  @Test func anActorOfThePoolIsNamed() throws {
    let (reports, _) = try Self.run("actor", "1.2")
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    let hang = try #require(report.hang)
    #expect(report.kind == "hang" && report.description == "actor Ledger did not run")
    #expect(hang.subject == "actor" && hang.name == "Ledger" && hang.queue == nil)
    #expect(hang.thread == nil && hang.samples.isEmpty && hang.threads.isEmpty)
    #expect(hang.recovered && hang.duration > 0.2 && hang.duration < 1.4)
  }

  @Test func anExecutorWithAThreadIsSampled() throws {
    let (reports, output) = try Self.run("thread-actor", "1.2")
    #expect(reports.count == 1)
    let hang = try #require(reports.first?.hang)
    #expect(reports.first?.description == "executor ThreadExecutor did not run")
    #expect(hang.subject == "executor" && hang.name == "ThreadExecutor")
    #expect(hang.thread == Self.thread(in: output) && hang.thread != nil)
    #expect(hang.recovered && hang.samples.count >= 2)
    #expect(hang.samples.allSatisfy { $0.capturedBy == "procSyscall" })
  }

  @Test func anExecutorOfTasksIsWatched() throws {
    let (reports, _) = try Self.run("task-executor", "1.2")
    #expect(reports.count == 1)
    let hang = try #require(reports.first?.hang)
    #expect(hang.subject == "executor" && hang.name == "TaskThreadExecutor")
    // A worker of libdispatch may run anything.
    #expect(hang.thread == nil && hang.recovered)
  }

  /// Its heartbeats do not pass through the pool.
  @Test func anExecutorRunsWhileThePoolStarves() throws {
    #expect(try Self.run("thread-actor-beside", "1.2").reports.isEmpty)
  }

  @Test(arguments: ["pool", "busy-pool"])
  func aStarvedPoolNamesItsThreads(_ mode: String) throws {
    let (reports, _) = try Self.run(mode, "1.5")
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    let hang = try #require(report.hang)
    #expect(report.kind == "starvedPool" && report.description == "task pool of medium priority did not run")
    #expect(hang.subject == "pool" && hang.name == "medium" && hang.queue == nil)
    #expect(hang.recovered && hang.duration > 0.2 && hang.duration < 1.7)
    #expect(hang.threads.count == ProcessInfo.processInfo.activeProcessorCount)
    let listed = Set(report.threads.map(\.id))
    #expect(hang.threads.allSatisfy { listed.contains($0.id) })
    #expect(hang.thread == hang.threads.first?.id && hang.samples.count >= 2)
    if mode == "pool" { #expect(hang.threads.allSatisfy { $0.processorTime < 0.2 * hang.observedFor }) }
  }

  @Test func aPoolWithAFreeThreadDoesNotStarve() throws {
    #expect(try Self.run("one-left", "1.2").reports.isEmpty)
  }

  @Test func detectorsShareAThread() throws {
    let (reports, output) = try Self.run("idle", "1.2")
    #expect(reports.isEmpty && output == "detectors 1\n", "\(output)")
  }
}
