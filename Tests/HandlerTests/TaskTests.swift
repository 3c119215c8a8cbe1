import Foundation
import Testing

/// Swift's tasks and async contexts, whole and damaged, in a process that makes them up.
@Suite(.serialized) struct TaskTests {
  private struct Task: Decodable, Equatable {
    struct Parent: Decodable, Equatable {
      var id: Int
      var name: String?
    }
    var id: Int
    var name: String?
    var parent: Parent?
  }

  private struct Report: Decodable {
    struct Thread: Decodable { var task: Task? }
    var threads: [Thread]
  }

  private func task(_ name: String) throws -> Task? {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(try run.report().capture.cutShort.isEmpty)
    let file = try #require(try run.reportFiles().first)
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: file)).threads.first?.task
  }

  @Test func numberNameAndParent() throws {
    #expect(try task("task-named") == Task(id: 1 << 32 + 7, name: "fetch", parent: .init(id: 3)))
  }

  @Test func aLongNameIsCutAtACharacter() throws {
    let expected = String(repeating: "é", count: 62) + "…"
    #expect(try task("task-long-name") == Task(id: 1, name: expected))
  }

  @Test(arguments: ["task-records-loop", "task-records-unreadable", "task-name-unreadable"])
  func aDamagedNameIsLeftOut(_ name: String) throws {
    #expect(try task(name) == Task(id: 5))
  }

  @Test(arguments: ["task-unreadable", "task-other-object", "task-unknown-layout"])
  func otherMemoryIsNotTakenForATask(_ name: String) throws {
    #expect(try task(name) == nil)
  }

  @Test func breadcrumbsHaveTheNumberOfTheirTask() throws {
    struct Breadcrumb: Decodable {
      var message: String
      var task: Int?
    }
    struct Report: Decodable { var breadcrumbs: [Breadcrumb] }
    let run = try HandlerProbe("task-breadcrumbs")
    #expect(run.end == .killed(signal: SIGILL))
    let file = try #require(try run.reportFiles().first)
    let left = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file)).breadcrumbs
    let expected = ["low": 7, "high": 1 << 32 + 7]
    let all = ["before the installation", "low", "high", "other object", "no task", "other thread"]
    #expect(left.map(\.message) == all)
    for breadcrumb in left { #expect(breadcrumb.task == expected[breadcrumb.message], "\(breadcrumb.message)") }
  }

  /// An overrun of a stack reaches the words above it, by which the handler would look for the current task.
  @Test(arguments: ["task-storage-damaged", "task-storage-damaged-elsewhere"])
  func damagedThreadLocalStorageLosesTheTask(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGILL))
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty && report.threads.allSatisfy { !$0.frames.isEmpty })
    let file = try #require(try run.reportFiles().first)
    let threads = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file)).threads
    #expect(threads.count == (name.hasSuffix("elsewhere") ? 2 : 1) && threads.allSatisfy { $0.task == nil })
  }

  /// The same overrun reaches the handler's own words, which it must not follow.
  @Test func overrunThreadLocalWordsLoseNothing() throws {
    let run = try HandlerProbe("thread-words-overrun")
    #expect(run.end == .killed(signal: SIGILL))
    #expect(run.seconds < 1)
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty && report.threads.count == 2)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
  }

  #if arch(x86_64)
    /// The resume points in the report, as places in the list that the probe prints.
    private func resumePoints(_ name: String, signal: Int32 = SIGILL) throws -> [Int?] {
      let run = try HandlerProbe(name)
      #expect(run.end == .killed(signal: signal))
      let known = run.output.split(separator: "\n").map(String.init)
      let thread = try #require(try run.report().threads.first)
      #expect(thread.stackEnd == "entry")
      #expect(thread.frames.first?.kind == "programCounter")
      #expect(thread.frames.dropFirst().first?.kind == "asyncResumePoint")
      return thread.frames.filter { $0.kind == "asyncResumePoint" }.map { known.firstIndex(of: $0.address ?? "") }
    }

    @Test func callersThatWaitAreFrames() throws {
      #expect(try resumePoints("chain-whole") == [0, 1, 2])
    }

    @Test func aFunctionThatHasJustBegunHasThemToo() throws {
      #expect(try resumePoints("chain-at-entry", signal: SIGTRAP) == [0, 1, 2])
    }

    @Test func aLoopEnds() throws {
      let points = try resumePoints("chain-loop")
      #expect((3...9).contains(points.count))
      #expect(points.prefix(3) == [0, 1, 2])
    }

    @Test func aDamagedChainEnds() throws {
      #expect(try resumePoints("chain-unreadable") == [0, 1])
      #expect(try resumePoints("chain-without-code") == [0])
    }

    @Test func aChainWithoutEndIsGivenUp() throws {
      let thread = try #require(try HandlerProbe("chain-without-end").report().threads.first)
      #expect(thread.stackEnd == "too many frames")
      #expect(thread.frames.contains { $0.kind == "omittedFrames" })
    }
  #endif
}
