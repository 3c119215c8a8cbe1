import Foundation
import Testing

/// Programs in which something goes on while one thread crashes.
@Suite(.serialized) struct DisturberTests {
  private func expectWhole(
    _ name: String, _ order: String = "after", environment: [String: String] = [:], loads: Bool = false
  ) throws -> HandlerProbe.Report {
    let without = try HandlerProbe(name, [order], enabled: false, environment: environment)
    let run = try HandlerProbe(name, [order], environment: environment)
    #expect(run.end == without.end)
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty)
    // A bystander may be in a library's _init, which glibc's crti.S gives no unwind information.
    let ends = report.threads.map { $0.stackEnd ?? "" }
    #expect(ends.first == "entry")
    #expect(ends.allSatisfy { $0 == "entry" || (loads && $0.hasPrefix("no unwind information")) }, "\(ends)")
    #expect(report.capture.captureTime < 1)
    return report
  }

  /// Libraries loaded and unloaded by other threads; and unmapped by another process with the same memory, whom no signal
  /// of the capture stops.
  @Test(arguments: ["library-unloaded", "image-unmapped"]) func librariesComeAndGo(_ name: String) throws {
    for _ in 0..<5 { _ = try expectWhole(name, loads: name == "library-unloaded") }
  }

  /// A thousand samples a second, in a handler that blocks every signal.
  @Test(arguments: ["before", "after"]) func underAProfiler(_ order: String) throws {
    #expect(try expectWhole("profiled-crash", order).threads.count == 5)
    let without = try HandlerProbe("profiled", [order], enabled: false)
    let with = try HandlerProbe("profiled", [order])
    #expect(with.end == .exited(7))
    #expect(with.output == without.output)
    #expect(without.output.hasSuffix("own 1, others' 0\n"))
  }

  /// Through the handler, to where the signal came and on to the entry.
  @Test(
    arguments: ["crash-in-handler", "crash-in-handler-onstack", "crash-in-handler-on-thread"], ["before", "after"])
  func inAHandlerOfTheProgram(_ name: String, _ order: String) throws {
    let report = try expectWhole(name, order)
    let crashed = try #require(report.threads.first)
    // The fault, and where the handler's signal came.
    #expect(crashed.frames.filter { $0.kind == "programCounter" }.count == 2)
    #expect(report.signal.codeName == "SEGV_MAPERR")
  }

  @Test func aSignalFromOutsideKills() throws {
    let report = try expectWhole("killed-from-outside")
    #expect(report.signal.codeName == "SI_USER")
    #expect(report.signal.pid != nil && report.signal.pid != report.process?.pid)
  }

  /// What debuggers would need, refused together and apart: ours needs neither.
  @Test(arguments: [(310, 101), (101, 101), (310, 310)]) func filtersOfContainers(_ first: Int, _ second: Int) throws {
    let calls = ["PROBE_CALL": "\(first)", "PROBE_CALL_TOO": "\(second)"]
    #expect(try expectWhole("filtered", environment: calls).threads.count == 2)
  }

  /// x86-64's renameat2 and renameat: the finished report has its name all the same.
  @Test func aFilterThatRefusesToRename() throws {
    let calls = ["PROBE_CALL": "316", "PROBE_CALL_TOO": "264"]
    #expect(try expectWhole("filtered", environment: calls).threads.count == 2)
  }

  /// The default action cannot be set again: the fault itself has to kill.
  @Test func actionsThatCannotBeChanged() throws {
    let run = try HandlerProbe("filtered", environment: ["PROBE_CALL": "13"])
    #expect(run.end == .killed(signal: SIGSEGV))
    // The other thread, which cannot be given a handler to stop in, is read from outside if it waits by then.
    let ends = try Set(run.report().threads.map(\.stackEnd))
    #expect(ends.subtracting(["entry", "no signal could be sent to it"]).isEmpty, "\(ends)")
  }

  /// Both reports are whole, and the runtime's does not end the process before it is.
  @Test func sixteenThreadsAtOnceWithTheRuntimesBacktracer() throws {
    let environment = ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"]
    for _ in 0..<3 {
      let run = try HandlerProbe("sixteen-at-once", environment: environment, options: "chain=yes", seconds: 40)
      #expect(run.end == .killed(signal: SIGSEGV))
      let report = try run.report()
      #expect(report.threads.count == 17)
      #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
      #expect(run.errors.contains("*** Program crashed: "))
      #expect(run.errors.contains("Backtrace took "))
    }
  }
}
