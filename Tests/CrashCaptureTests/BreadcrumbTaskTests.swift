import Foundation
import PreviousRuns
import Testing

/// The numbers of tasks in breadcrumbs of programs whose tasks move between threads.
@Suite struct BreadcrumbTaskTests {
  private struct Report: Decodable {
    struct Breadcrumb: Decodable {
      var message: String
      var category: String
      var thread: Int
      var task: Int?
    }
    struct Task: Decodable { var id: Int }
    struct Thread: Decodable {
      var crashed: Bool?
      var task: Task?
    }
    var threads: [Thread]?
    var breadcrumbs: [Breadcrumb]

    /// The numbers in the breadcrumbs with this text.
    func tasks(_ message: String) -> Set<Int?> {
      Set(breadcrumbs.filter { $0.message == message }.map(\.task))
    }
  }

  private func reports(in probe: LiveProbe) throws -> [Report] {
    let names = try probe.names().filter { $0.hasSuffix(".json") }
    return try names.map {
      try JSONDecoder().decode(Report.self, from: Data(contentsOf: probe.directory.appending(path: $0)))
    }
  }

  private func expectNumbers(_ report: Report) throws {
    #expect(report.breadcrumbs.count == 41)
    let dies = report.tasks("dies")
    let other = report.tasks("other")
    #expect(dies.count == 1 && other.count == 1 && dies != other && !dies.contains(nil) && !other.contains(nil))
    #expect(report.tasks("thread") == [nil])
    // Each moved between threads.
    for name in ["dies", "other"] {
      let places = Dictionary(grouping: report.breadcrumbs.filter { $0.message == name }, by: \.category)
      let main = Set(try #require(places["main"]).map(\.thread))
      let pool = Set(try #require(places["pool"]).map(\.thread))
      #expect(main.count == 1 && main.isDisjoint(with: pool))
    }
  }

  @Test func breadcrumbsOfTheCrashedTaskHaveItsNumber() throws {
    let probe = try LiveProbe()
    #expect(try probe.run("tasks-probe", ["breadcrumbs", "dies"]).end == .signal(SIGILL))
    #expect(try probe.reports().count == 1)
    let report = try #require(try reports(in: probe).first)
    try expectNumbers(report)
    let crashed = try #require(report.threads?.first { $0.crashed == true }?.task)
    #expect(report.tasks("dies") == [crashed.id])
  }

  @Test func numbersOutliveTheProcess() throws {
    let probe = try LiveProbe()
    #expect(try probe.run("tasks-probe", ["breadcrumbs", "killed"]).end == .signal(SIGKILL))
    #expect(try reports(in: probe).isEmpty)
    let told = PreviousRuns(in: try ReportDirectory(path: probe.directory.path)).report()
    #expect(told.reports.count == 1)
    #expect(try probe.names().filter { $0.hasSuffix("-uncleanExit.json") }.count == 1)
    try expectNumbers(try #require(try reports(in: probe).first))
  }
}
