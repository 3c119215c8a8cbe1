import Foundation
import TestEnvironment
import Testing

/// Tasks that do not move, seen by a watch of one second in a program whose other tasks come back to their places again and
/// again.
@Suite(.serialized) struct StuckTaskTests {
  /// The rest between two looks is a thousand times as long as a look: several seconds here.
  @Test func stuckTasksAreReportedOnce() throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("tasks-probe", ["stuck", "600"]) { process in
      let deadline = Date().addingTimeInterval(300)
      while try probe.names().allSatisfy({ !$0.hasSuffix(".json") }), Date() < deadline { usleep(100_000) }
      // Time for one more look.
      usleep(10_000_000)
      kill(process, SIGKILL)
    }
    #expect(end == .signal(SIGKILL))
    let reports = try probe.reports()
    #expect(reports.map(\.kind) == ["stuckTask"])
    let stuck = reports.first?.tasks?.filter { $0.isStuck == true } ?? []
    let names = ["cancelled", "child", "continuation", "parent", "stream"]
    #expect(stuck.compactMap(\.name).sorted() == names.map { "stuck \($0)" })
    let description = try #require(reports.first?.description)
    #expect(description.hasPrefix("5 tasks have not moved for ") && description.contains(" \"stuck"), "\(description)")
  }

  @Test func healthyTasksAreNotReported() throws {
    let probe = try LiveProbe()
    let isFull = tests_are_full()
    let (end, _) = try probe.run("tasks-probe", ["healthy", isFull ? "60" : "12"])
    #expect(end == .exit(0))
    #expect(try probe.reports().map(\.description) == [])
  }
}
