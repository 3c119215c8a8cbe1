import Glibc
import Testing

/// Programs that answer refused system calls in a handler of their own go on as without CrashKit.
@Suite(.serialized) struct EmulatorTests {
  /// x86-64's getpid, gettid, process_vm_readv and sigaltstack: handlers of CrashKit make them too.
  @Test(arguments: [39, 186, 310, 131]) func aTrappedCall(_ call: Int) throws {
    try expectNoDifference("emulated", environment: ["PROBE_CALL": "\(call)"])
  }

  @Test(arguments: [39, 186, 310]) func aTrappedCallBesideAnotherHandler(_ call: Int) throws {
    try expectNoDifference("emulated-beside-handler", environment: ["PROBE_CALL": "\(call)"])
  }

  @Test(arguments: ["dispatched", "dispatched-fault"]) func dispatchedCalls(_ name: String) throws {
    try expectNoDifference(name)
  }

  /// CrashKit's own calls are not the emulator's to answer.
  @Test func aCrashWhileCallsAreDispatched() throws {
    let probe = try HandlerProbe("dispatched-crash", ["after"])
    #expect(probe.end == .killed(signal: SIGSEGV), "\(probe.errors)")
    #expect(try probe.reportFiles().count == 1)
  }

  @Test func aClockThatIsRefused() throws { try expectNoDifference("clock-refused") }

  @Test func aCrashWithoutAClock() throws {
    let probe = try HandlerProbe("clock-refused-crash", ["after"])
    #expect(probe.end == .killed(signal: SIGSEGV), "\(probe.errors)")
    #expect(try probe.report().capture.cutShort.isEmpty)
  }

  /// A fault that cannot be tried from outside, as an access to memory can.
  @Test func aHandlerThatCountsItsCalls() throws { try expectNoDifference("counted") }

  private func expectNoDifference(_ name: String, environment: [String: String] = [:]) throws {
    for order in ["before", "after"] {
      let without = try HandlerProbe(name, [order], enabled: false, environment: environment)
      let with = try HandlerProbe(name, [order], environment: environment)
      #expect(without.end == .exited(7), "\(without.errors)")
      #expect(with.end == without.end, "\(with.errors)")
      #expect(with.output == without.output)
      #expect(try with.reportFiles().isEmpty)
    }
  }
}
