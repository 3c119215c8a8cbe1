import CrashKit
import Foundation
import Testing

/// `CrashKit.capture`: a report, and a process that does not notice.
@Suite(.serialized) struct LiveCaptureTests {
  private struct Calls {
    var made = 0
    var broken = 0
    var failed = 0
    var early = 0
    var late = 0
  }

  /// The probe's lines: `poll made 25 broken 0 failed 0 early 0 late 0`.
  private func calls(_ output: String) -> [String: Calls] {
    var calls: [String: Calls] = [:]
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 11, words[1] == "made" else { continue }
      let numbers = stride(from: 2, to: 11, by: 2).compactMap { Int(words[$0]) }
      guard numbers.count == 5 else { continue }
      calls[String(words[0])] = Calls(
        made: numbers[0], broken: numbers[1], failed: numbers[2], early: numbers[3], late: numbers[4])
    }
    return calls
  }

  @Test func noSystemCallIsInterrupted() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("live-probe", ["calls", "1000"])
    #expect(end == .exit(0))
    let calls = calls(output)
    #expect(calls.count == 16)
    for (name, call) in calls {
      #expect(call.made >= (["msgrcv", "read"].contains(name) ? 1 : 10), "\(name)")
      #expect(call.broken == 0, "\(name)")
      #expect(call.failed == 0, "\(name)")
      #expect(call.early == 0, "\(name)")
      #expect(call.late == 0, "\(name)")
    }
    #expect(output.contains("captures 1000 failures 0"))
    let reports = try probe.reports()
    #expect(reports.count == 2)
    for report in reports {
      #expect(report.kind == "capture")
      #expect(report.threads.count == 22)
      #expect(report.capture.cutShort.isEmpty)
      let waiting = report.threads.filter { $0.capturedBy == "procSyscall" }
      #expect(waiting.count >= 10)
      for thread in waiting { #expect(thread.stackEnd == "entry") }
    }
    // The thread that only computes is never in a call. A busy machine may keep it from its answer once.
    #expect(reports.contains { $0.threads.contains { $0.capturedBy == "signal" } })
  }

  /// What must happen when a thread enters a call between the look at it and the signal, here every time.
  @Test func interruptedSystemCallsAreRepeated() throws {
    let (end, output) = try LiveProbe().run("live-probe", ["restarts"])
    #expect(end == .exit(0))
    let calls = calls(output)
    #expect(calls.count == 16)
    for (name, call) in calls {
      #expect(call.broken == 0, "\(name)")
      #expect(call.failed == 0, "\(name)")
      #expect(call.early == 0, "\(name)")
    }
    let last = output.split(separator: "\n").last?.split(separator: " ") ?? []
    #expect(last.first == "restarted")
    #expect((last.last.flatMap { Int($0) } ?? 0) > 500)
  }

  @Test func everyThreadHasItsStack() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("live-probe", ["stacks"])
    #expect(end == .exit(0))
    #expect(output.hasPrefix("0 \(probe.directory.path)/"))
    let report = try #require(try probe.reports().first)
    #expect(report.kind == "capture")
    #expect(report.description == "of \"stacks\"\n")
    let threads = Dictionary(report.threads.map { ($0.name ?? "", $0) }) { first, _ in first }
    #expect(report.threads.count == 7)
    #expect(report.threads.allSatisfy { $0.crashed == nil })
    #expect(report.threads.first?.capturedBy == "caller")
    #expect(report.threads.first?.stackEnd == "entry")
    for (name, how) in [("sleeper", "procSyscall"), ("worker", "signal")] {
      let thread = try #require(threads[name])
      #expect(thread.capturedBy == how)
      #expect(thread.stackEnd == "entry")
      #expect(thread.frames.count >= 33)
      // One function that calls itself: its return addresses are all the same.
      let repeated = Dictionary(grouping: thread.frames.compactMap(\.address)) { $0 }.values.map(\.count).max()
      #expect((repeated ?? 0) >= 30)
    }
    #expect(threads["flat worker"]?.stackEnd == "entry")
    let late = try #require(threads["late prologue"])
    #expect(late.capturedBy == "procSyscall" && late.stackEnd == "entry" && late.frames.count >= 4)
    // The frame of the function that called it is not passed over.
    let frameless = try #require(threads["frameless"])
    #expect(frameless.capturedBy == "procSyscall" && frameless.stackEnd == "entry" && frameless.frames.count >= 5)
    // Beyond what is copied; what was left out is said.
    let deep = try #require(threads["very deep"])
    #expect(deep.frames.count > 300)
    #expect(deep.stackEnd.hasPrefix("unreadable stack"))
    #expect(deep.frames.last?.kind == "truncated")
  }

  @Test func aCaptureThatCannotBeWrittenSaysSo() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("live-probe", ["failures"])
    #expect(end == .exit(0))
    let lines = output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0] == "\(EFBIG) ")
    #expect(lines[1] == "\(ENOENT) ")
    #expect(lines[2].hasPrefix("0 \(probe.directory.path)/"))
    let names = try FileManager.default.contentsOfDirectory(atPath: probe.directory.path)
    #expect(names.count == 1)
  }

  /// Three threads capture without pause while another one crashes.
  @Test func aCrashGoesFirst() throws {
    for _ in 0..<5 {
      let probe = try LiveProbe()
      let (end, _) = try probe.run("live-probe", ["crash"])
      #expect(end == .signal(SIGSEGV))
      let crashes = try probe.reports().filter { $0.kind == "crashReport" }
      #expect(crashes.count == 1)
      #expect(crashes.first?.threads.count == 6)
      #expect(crashes.first?.capture.cutShort.isEmpty == true)
      #expect(crashes.first?.threads.allSatisfy { $0.stackEnd == "entry" } == true)
    }
  }

  @Test func childrenOfAForkCapture() throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("live-probe", ["fork"])
    #expect(end == .exit(0))
    let reports = try probe.reports()
    #expect(reports.filter { $0.description == "child" && $0.threads.count == 1 }.count == 20)
  }

  /// Nothing was captured when the fork began, and another thread captures when the child comes to be, or makes ready
  /// for it, which takes the loader's lock.
  @Test(arguments: ["first-fork", "fork-in-preparation"]) func aChildOfTheFirstForkCaptures(_ fork: String) throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("live-probe", [fork])
    #expect(end == .exit(0))
    #expect(try probe.reports().contains { $0.description == "child" && $0.threads.count == 1 })
  }

  /// The child of another moment might wait for a lock of the Swift runtime's for good.
  @Test(arguments: ["fork-in-swift-work", "work-in-fork"]) func aForkWaitsForWorkInSwift(_ how: String) throws {
    let (end, _) = try LiveProbe().run("live-probe", [how])
    #expect(end == .exit(0))
  }

  @Test func withoutAnInstallationItThrows() {
    let error = #expect(throws: CrashKit.CaptureError.self) { try CrashKit.capture("too early") }
    #expect(error?.reason == .notInstalled)
    #expect(CrashKit.HangDetector.start() == nil)
  }
}
