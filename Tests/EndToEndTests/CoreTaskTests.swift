import Foundation
import Testing

extension EndToEnd {
  /// The tasks in core files of a program that makes up a Swift runtime, and damages it.
  @Suite(.enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere")) struct CoreTaskTests {
    private struct Report: Decodable {
      struct Capture: Decodable {
        struct Search: Decodable {
          var none: String?
          var isCut: Bool?
          var time: Double?
        }
        var tasks: Search
      }
      var tasks: [ProducedReport.LiveTask]?
      var omittedTasks: Int?
      var capture: Capture
    }

    private func report(of probe: String) throws -> Report {
      let folder = try TemporaryFolder()
      let program = Products.folder.appending(path: "handler-probe").path
      let run = try ProgramRun.run(
        KernelCore.launch(in: folder) + [program, probe], environment: ["CRASHKIT_OPTIONS": "enable=no"])
      #expect(run.end == .killed(signal: SIGSEGV))
      return try KernelCore.report(in: folder, as: Report.self)
    }

    /// What the tests below take away.
    @Test func aTaskIsFound() throws {
      let report = try report(of: "tasks-found")
      let task = try #require(report.tasks?.first)
      #expect(report.tasks?.count == 1 && task.id == 5 && task.name == "fetch token=***")
      #expect(task.frames?.map(\.kind) == Array(repeating: "asyncResumePoint", count: 3))
    }

    @Test(arguments: [
      ("tasks-of-unknown-version", "a Swift concurrency runtime of another layout"),
      ("tasks-of-unknown-size", "a Swift concurrency runtime of another layout"),
      ("tasks-without-slabs", "a Swift concurrency runtime that does not say what tasks allocate from"),
    ])
    func aRuntimeOfAnotherLayoutHasNoTasks(_ probe: String, _ reason: String) throws {
      let report = try report(of: probe)
      #expect(report.tasks == nil && report.omittedTasks == nil)
      #expect(report.capture.tasks.none == reason)
    }

    @Test(arguments: [("tasks-chain-loop", 3), ("tasks-chain-to-nowhere", 3), ("tasks-chain-without-code", 2)])
    func aDamagedChainIsCutAndTheNextTaskShown(_ probe: String, _ points: Int) throws {
      let report = try report(of: probe)
      try #require(report.tasks?.map(\.id) == [4, 5])
      let damaged = try #require(report.tasks?[0].frames?.map(\.kind))
      #expect(damaged == Array(repeating: "asyncResumePoint", count: points) + ["truncated"])
      #expect(report.tasks?[1].frames?.last?.kind == "asyncResumePoint")
    }

    @Test func aTaskThatPrefersAnExecutorIsFound() throws {
      #expect(try report(of: "tasks-with-executor").tasks?.map(\.id) == [4, 5])
    }

    /// Of 2,000 tasks with ten thousand contexts each, all are counted; the chains end where patience does.
    @Test func longChainsEnd() throws {
      let report = try report(of: "tasks-with-long-chains")
      #expect(report.tasks?.count == 2000)
      // The search's own limit is ten seconds by the clock, which a busy machine may need. It has that, and a little for
      // what it had begun.
      let time = try #require(report.capture.tasks.time)
      #expect(time < 30)
      #expect(report.capture.tasks.isCut == nil || time > 10)
    }
  }
}
