import Foundation
import TestEnvironment
import Testing

/// Threads and processes around the one that crashes.
@Suite(.serialized) struct BystanderTests {
  private static let isFull = tests_are_full()

  @Test(
    arguments: [
      ("all-blocked", 9), ("thousand", 1001), ("main-thread-gone", 2), ("being-created", 5), ("not-dumpable", 1),
    ] + (isFull ? [("ten-thousand", 10001)] : []))
  func everyThreadIsListed(_ name: String, _ count: Int) throws {
    let without = try HandlerProbe(name, enabled: false)
    let run = try HandlerProbe(name)
    #expect(run.end == without.end)
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.threads.count >= count)
    #expect(report.capture.cutShort.isEmpty)
    guard name != "being-created" else { return }
    let living = report.threads.filter { $0.state != "zombie" }
    #expect(living.count >= count - 1, "only the main thread may be gone")
    for thread in living { #expect(thread.stackEnd == "entry", "\(thread)") }
  }

  /// The kernel counts mappings: each one more for a thread makes room for fewer threads.
  @Test func manyThreadsShareMappings() throws {
    let without = try HandlerProbe("mappings-of-threads", enabled: false)
    let with = try HandlerProbe("mappings-of-threads")
    #expect(without.end == .exited(7), "\(without.errors)")
    #expect(with.end == without.end, "\(with.errors)")
    let counts = [without, with].map { $0.output.split(separator: "\n").compactMap { Int($0) } }
    try #require(counts.allSatisfy { $0.count == 2 })
    // Three for each of 1,024 threads, and next to none for as many more; some, since other mappings lie between them.
    for (plain, ours) in zip(counts[0], counts[1]) { #expect(ours - plain < 4 * 1024) }
  }

  /// A thread that ends while others are being stopped is left out, and one that starts is waited for.
  @Test func noThreadIsListedWithoutAStack() throws {
    for _ in 0..<12 {
      let report = try HandlerProbe("being-created").report()
      #expect(report.threads.filter { $0.frames.isEmpty }.map(\.stackEnd) == [])
    }
  }

  /// A machine with much to do gives a processor late to a thread that starts.
  @Test func aThreadThatStartsSlowlyIsWaitedFor() throws {
    let report = try HandlerProbe("slow-birth").report()
    let thread = try #require(report.threads.last)
    #expect(report.threads.count == 2)
    #expect(thread.capturedBy == "signal")
    #expect(thread.stackEnd == "entry")
  }

  /// No signal reaches a thread that waits for its child of vfork, and the kernel tells its stack pointer but not its
  /// frame pointer: that is found again by the functions that keep one.
  @Test func aThreadInVforkHasItsStack() throws {
    let report = try HandlerProbe("in-vfork").report()
    let thread = try #require(report.threads.last)
    #expect(report.threads.count == 2)
    #expect(thread.capturedBy == "procSyscall")
    #expect(thread.state == "disk sleep")
    #expect(thread.stackEnd == "entry")
    #expect(thread.frames.count >= 4)
  }

  /// The kernel keeps fifteen bytes; what is not UTF-8 is there in hex as well.
  @Test func oddBytesOfANameAreKept() throws {
    let thread = try #require(try HandlerProbe("odd-name").report().threads.first)
    #expect(thread.nameBytes == "61225c0a01fffe29c3a9")
    #expect(thread.name?.hasPrefix("a\"\\\n\u{1}\u{fffd}\u{fffd})é") == true)
  }

  @Test func aChildReportsItself() throws {
    let without = try HandlerProbe("child-crashes", enabled: false)
    let run = try HandlerProbe("child-crashes")
    #expect(run.end == without.end)
    #expect(run.output == without.output)
    #expect(try run.report().breadcrumbs?.map(\.message) == ["of the child"])
  }

  /// Children of vfork have their parent's memory, and so there is one report's memory for all of them.
  @Test func childrenOfVforkReportOneAfterTheOther() throws {
    let without = try HandlerProbe("vfork-children-crash-together", enabled: false)
    let run = try HandlerProbe("vfork-children-crash-together")
    #expect(run.end == without.end)
    #expect(run.output == without.output)
    let reports = try run.reportFiles().map { try HandlerProbe.report(at: $0) }
    #expect(Set(reports.compactMap(\.process?.pid)).count == 20)
    #expect(reports.allSatisfy { $0.capture.cutShort.isEmpty && $0.cause == "null pointer dereference (write at 0x8)" })
  }

  @Test(arguments: ["both-crash", "vfork-child-crashes"]) func childAndParentReportEach(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let run = try HandlerProbe(name)
    #expect(run.end == without.end)
    #expect(run.output == without.output)
    let reports = try run.reportFiles().map { try HandlerProbe.report(at: $0) }
    #expect(reports.count == 2)
    #expect(Set(reports.compactMap(\.process?.pid)).count == 2)
    #expect(reports.allSatisfy { $0.capture.cutShort.isEmpty && $0.threads.first?.stackEnd == "entry" })
  }

  /// A handler repairs a fault with the help of a child: that child's end is no end of the program.
  @Test(arguments: ["exit", "at-once", "exec", "vfork"]) func aHandlersChildMayEnd(_ how: String) throws {
    let without = try HandlerProbe("handler-forks", ["after", how], enabled: false)
    let run = try HandlerProbe("handler-forks", ["after", how])
    #expect(without.end == .exited(7))
    #expect(run.end == without.end)
    #expect(run.output == without.output)
    #expect(try run.reportFiles().isEmpty)
  }

  /// Such a child that dies is reported for what it died of, not for its parent's fault.
  @Test func aHandlersChildReportsItsOwnDeath() throws {
    let without = try HandlerProbe("handler-forks", ["after", "abort"], enabled: false)
    let run = try HandlerProbe("handler-forks", ["after", "abort"])
    #expect(run.end == without.end)
    #expect(run.output == without.output)
    let reports = try run.reportFiles().map { try HandlerProbe.report(at: $0) }
    #expect(reports.map(\.signal.name) == ["SIGABRT", "SIGABRT"])
  }

  @Test func programsAfterExecAreOnTheirOwn() throws {
    let run = try HandlerProbe("program-after-exec-crashes")
    #expect(run.output == "child: signal 11 status 0\n")
    #expect(try run.reportFiles().isEmpty)
  }

  /// The crashed process leaves one whole report, whatever its children were doing.
  @Test func forksDuringACrash() throws {
    for _ in 0..<5 {
      let run = try HandlerProbe("crash-during-fork")
      #expect(run.end == .killed(signal: SIGSEGV))
      let files = try run.reportFiles().filter { $0.pathExtension == "json" }
      try #require(!files.isEmpty, "no report; it said: \(run.errors.suffix(800))")
      for file in files { _ = try HandlerProbe.report(at: file) }
    }
  }

  /// What a program that does not crash is told by libc.
  @Test(arguments: [
    "action-calls", "masks", "destructors", "threads-leave-nothing", "vfork-child-sets-actions", "earlier-handlers",
    "vfork-child-keeps-to-itself", "vfork-child-ends-on-stack", "vfork-child-overflows", "pending-behind-a-wait",
    "older-action-calls", "actions-read-back", "bad-addresses", "c11-threads", "loader-errors",
  ])
  func libcAnswersAsWithoutCrashKit(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let run = try HandlerProbe(name)
    #expect(run.end == .exited(7))
    #expect(run.end == without.end)
    #expect(run.output == without.output, "\(run.errors)")
  }

  @Test func installedOnceFromManyThreads() throws {
    let run = try HandlerProbe("install-at-once")
    #expect(run.end == .killed(signal: SIGSEGV))
    _ = try run.report()
  }

  /// Places for reports that are none: the program starts, says so in a line, and its report goes elsewhere.
  @Test(arguments: ["/dev/null", "/dev/null/below", String(repeating: "/long", count: 1000)])
  func hostileDirectories(_ directory: String) throws {
    let state = FileManager.default.temporaryDirectory.appending(path: "crashkit-state-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: state) }
    let run = try HandlerProbe(
      "null-read", environment: ["CRASHKIT_DIRECTORY": directory, "XDG_STATE_HOME": state.path], options: ",,=,x,enable"
    )
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.errors.contains("CrashKit["))
    let folder = state.appending(path: "crashkit/handler-probe").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.count == 1)
  }
}
