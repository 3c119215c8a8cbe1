import Foundation
import Testing

/// Contexts in reports of programs whose tasks are inside them.
@Suite struct ContextTests {
  /// What a program of tasks-probe left when it died, as far as these tests look at it.
  private func reports(of arguments: [String]) throws -> [LiveProbe.Report] {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("tasks-probe", arguments)
    #expect(end == .signal(SIGILL) || end == .signal(SIGTRAP))
    return try probe.reports()
  }

  @Test func reportNamesTheContextOfEachTaskAndThread() throws {
    let report = try #require(try reports(of: ["contexts"]).first)
    let traceId = "0af7651916cd43dd8448eb211c80319c"
    let trace = LiveProbe.Report.Trace(traceId: traceId, spanId: "b7ad6b7169203331")
    #expect(report.context == .init(name: "GET /orders/42", trace: trace, attributes: ["request.id": "r-42"]))
    #expect(report.threads.filter { $0.crashed == true }.map(\.context) == [report.context])
    let names = ["GET /orders/42", "plain thread /?access_token=***"]
    #expect(report.threads.compactMap(\.context?.name).sorted() == names)
    func context(_ task: String) throws -> LiveProbe.Report.Context? {
      try #require(report.tasks?.first { $0.name == task }, "no task \(task)").context
    }
    let outer = ["request.id": "outer 1", "password": "***"]
    #expect(try context("inherits") == .init(name: "outer", attributes: outer))
    #expect(try context("child") == .init(name: "outer", attributes: outer))
    let inner = outer.merging(["step": "2"]) { $1 }
    let outerTrace = LiveProbe.Report.Trace(traceId: traceId, spanId: "00f067aa0ba902b7")
    #expect(try context("inner child") == .init(name: "inner", trace: outerTrace, attributes: inner))
    #expect(try context("detached, token=***") == nil)
    #expect(try context("left") == nil)
    #expect(try context("dies") == report.context)
  }

  /// Such a thread is looked at from outside: no handler of ours runs on it.
  @Test func threadsThatWaitInTheKernelHaveTheirTaskAndContext() throws {
    let probe = try LiveProbe()
    #expect(try probe.run("tasks-probe", ["blocked"]).end == .exit(0))
    let report = try #require(try probe.reports().first)
    let thread = try #require(report.threads.first { $0.context?.name == "GET /slow" })
    #expect(thread.task?.name == "blocks" && thread.capturedBy == "procSyscall")
    #expect(report.tasks?.first { $0.name == "blocks" }?.thread == thread.id)
    let plain = try #require(report.threads.first { $0.context?.name == "plain thread" })
    #expect(plain.task == nil && plain.capturedBy == "procSyscall")
    #expect(report.threads.count { $0.task != nil } == 1)
  }

  @Test func contextsThatDoNotFitAreNamed() throws {
    let reports = try reports(of: ["many", "100000"])
    #expect(reports.map { $0.capture.cutShort.contains { $0.what == "contexts" } } == [true, false])
    #expect(reports.first?.threads.compactMap(\.context?.name) == [])
    #expect(reports.last?.context == .init(name: "has room"))
  }
}
