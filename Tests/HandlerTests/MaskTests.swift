import Foundation
import Testing

/// Programs that block the signals of faults.
@Suite(.serialized) struct MaskTests {
  /// The kernel kills a thread that faults while the fault's signal is blocked, and would call no handler.
  @Test(arguments: [
    "blocked-by-sigmask", "blocked-on-thread", "blocked-by-creator", "blocked-by-attributes", "blocked-before-install",
    "blocked-by-sighold", "blocked-on-older-thread", "blocked-in-child", "crash-after-held",
  ])
  func aFaultIsReportedWhateverTheMask(_ name: String) throws { try expectReport(name, "after") }

  /// Blocked by the mask of a handler, set before CrashKit was installed or after; or of a call that waits.
  @Test(
    arguments: [
      "blocked-by-handlers-mask", "blocked-by-sigsuspend", "blocked-by-ppoll", "blocked-by-pselect",
      "blocked-by-epoll-pwait", "blocked-with-handler", "blocked-by-a-handlers-context",
    ], ["before", "after"])
  func aFaultInAHandlerIsReportedWhateverTheMask(_ name: String, _ order: String) throws {
    try expectReport(name, order)
  }

  /// The report is of what the handler was called for.
  @Test(arguments: ["before", "after"]) func aFaultInAFaultsHandlerIsReportedWhateverTheMask(_ order: String) throws {
    try expectReport("blocked-by-fault-handlers-mask", order, codeName: "SI_TKILL")
  }

  private func expectReport(_ name: String, _ order: String, codeName: String = "SEGV_MAPERR") throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    guard case .killed = with.end else {
      Issue.record("the probe itself ended by \(with.end): \(with.errors)")
      return
    }
    let report = try with.report()
    #expect(report.signal.codeName == codeName)
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.threads.first?.stackEnd == "entry")
  }

  @Test func anUnreadableMaskIsAnError() throws {
    #expect(try HandlerProbe("waits-with-unreadable-mask").end == .exited(0))
  }

  /// The mask that it set, on every way to read it, in threads, in children and in other programs; and what is sent
  /// while it believes it blocked waits for it.
  @Test(
    arguments: [
      "masks-read-back", "masks-left-by-a-handler", "sent-while-blocked", "sent-to-a-thread",
      "sent-while-threads-start", "queued-to-the-first",
      "queued-without-the-first", "masks-over-exec",
    ],
    ["before", "after"])
  func theProgramSeesTheMaskThatItSet(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(with.end == .exited(7))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(with.errors == without.errors)
    #expect(without.output.split(separator: "\n").count > 5)
  }

  /// Whoever it was sent to: this thread, another one, or the process.
  @Test(arguments: ["before", "after"]) func anIgnoredSignalIsNoLongerPending(_ order: String) throws {
    let without = try HandlerProbe("ignored-while-pending", [order], enabled: false)
    let with = try HandlerProbe("ignored-while-pending", [order])
    #expect(with.end == .exited(7), "\(with.errors)")
    #expect(with.end == without.end)
    #expect(with.output == without.output)
    #expect(without.output.contains("ignored: segv 0 fpe 0"))
  }

  /// A handler is left without a return, as an exception and a jump leave it. Or it changes the mask that it returns to.
  /// Or it sends itself what it blocks, and finds the mask of the interrupted place when that comes. Or it comes while a
  /// call waits with a mask of its own, which is in force inside the handler, but not behind it.
  @Test(
    arguments: [
      "handlers-left", "handlers-left-on-stack", "handlers-left-nodefer", "thread-ends-in-a-handler",
      "masks-in-contexts", "sent-in-its-own-handler", "sent-together", "handlers-in-waits", "faults-in-waits",
    ], ["before", "after"])
  func theMaskIsTheProgramsBehindAndBesideHandlers(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(without.end == .exited(7), "\(without.errors)")
    #expect(with.end == without.end, "\(with.errors)")
    #expect(with.output == without.output)
    #expect(try with.reportFiles().isEmpty)
    #expect(without.output.split(separator: "\n").count > 20)
  }

  /// The alternate stack in a handler's context, and the action of a handler that the kernel calls once.
  @Test(arguments: ["stacks-in-contexts", "actions-after-one-call"], ["before", "after"])
  func aHandlerSeesWhatTheProgramSet(_ name: String, _ order: String) throws {
    let without = try HandlerProbe(name, [order], enabled: false)
    let with = try HandlerProbe(name, [order])
    #expect(without.end == .exited(7), "\(without.errors)")
    #expect(with.end == without.end, "\(with.errors)")
    #expect(with.output == without.output)
  }

  /// Signals come faster than their handler ends.
  @Test(arguments: [SIGSEGV, SIGTRAP, SIGABRT]) func aBurstOfSignalsFillsNoStack(_ signal: Int32) throws {
    let without = try HandlerProbe("sent-in-a-burst", ["after", "\(signal)"], enabled: false)
    let with = try HandlerProbe("sent-in-a-burst", ["after", "\(signal)"])
    #expect(without.end == .exited(7))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
  }
}
