import CrashReportModel
import CrashReportReading
import Testing

@testable import CrashReportView

@Suite struct TaskCirclesTests {
  /// The ids of each circle among tasks, which stand as JSON without their frames and states.
  private func circles(_ tasks: String..., rest: String = "") throws -> [[Int?]] {
    let tasks = tasks.map { #"{"state": "suspended", \#($0)}"# }.joined(separator: ", ")
    let text = #"{"schema": "crashkit/1", "kind": "capture", "tasks": [\#(tasks)]\#(rest)}"#
    return TaskCircles(try #require(try ReportReader.read(Array(text.utf8)).first)).circles.map { $0.map(\.task.id) }
  }

  private func task(_ id: Int, of parent: Int? = nil, _ kind: String, _ awaited: Int? = nil) -> String {
    #""id": \#(id), "awaits": {"kind": "\#(kind)"\#(awaited.map { #", "id": \#($0)"# } ?? "")}"#
      + (parent.map { #", "parent": \#($0)"# } ?? "")
  }

  @Test func twoTasksThatWaitForEachOther() throws {
    #expect(try circles(task(2, "task", 1), task(1, "task", 2)) == [[1, 2]])
    #expect(try circles(task(1, "task", 2), task(2, of: 1, "asyncLet", 1)) == [[1, 2]])
    #expect(try circles(task(1, "task", 1)) == [[1]])
  }

  @Test func aTaskThatWaitsForACircleIsNotPartOfIt() throws {
    #expect(try circles(task(1, "task", 2), task(2, "task", 1), task(3, "task", 2), task(4, "task", 3)) == [[1, 2]])
  }

  @Test func circlesAreKeptApart() throws {
    let found = try circles(task(1, "task", 4), task(2, "task", 3), task(3, "task", 2), task(4, "task", 1))
    #expect(found == [[1, 4], [2, 3]])
  }

  @Test func aGroupWithARunningChildIsNotInACircle() throws {
    let stuck = [task(1, "group"), task(2, of: 1, "task", 1)]
    #expect(try circles(stuck[0], stuck[1], task(3, of: 1, "task", 2)) == [[1, 2, 3]])
    #expect(try circles(stuck[0], stuck[1], task(3, of: 1, "sleep")) == [])
    #expect(try circles(stuck[0], stuck[1], task(3, of: 1, "task", 9)) == [])
    #expect(try circles(task(1, "group")) == [])
  }

  @Test func aTaskThatRunsWaitsForNothing() throws {
    #expect(try circles(#""state": "running", "# + task(1, "task", 2), task(2, "task", 1)) == [])
  }

  /// A task that is missing may be what ends the wait.
  @Test(arguments: [#", "omittedTasks": 1"#, #", "capture": {"tasks": {"isCut": true}}"#])
  func aListWithGapsHasNoCircles(_ rest: String) throws {
    #expect(try circles(task(1, "task", 2), task(2, "task", 1), rest: rest) == [])
  }

  @Test func aLongChainEnds() throws {
    let tasks = (1...50_000).map { number in
      #"{"state": "suspended", \#(task(number, "task", number % 50_000 + 1))}"#
    }
    let text = #"{"schema": "crashkit/1", "kind": "capture", "tasks": [\#(tasks.joined(separator: ", "))]}"#
    let report = try #require(try ReportReader.read(Array(text.utf8)).first)
    #expect(TaskCircles(report).circles.map(\.count) == [50_000])
  }
}
