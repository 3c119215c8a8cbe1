import Foundation
import Testing

/// The text that Rust's runtime prints as a thread panics. With real programs in Rust: EndToEndTests.
@Suite(.serialized) struct PanicTests {
  private func report(_ name: String, signal: Int32 = SIGABRT) throws -> HandlerProbe.Report {
    let without = try HandlerProbe(name, enabled: false)
    // The summary goes to standard error too.
    let run = try HandlerProbe(name, options: "summary=no")
    #expect(run.end == .killed(signal: signal))
    #expect(run.end == without.end)
    #expect(run.output == without.output && run.errors == without.errors)
    return try run.report()
  }

  @Test(arguments: ["panic-whole", "panic-in-pieces", "panic-gathered", "panic-on-a-thread"])
  func thePanicIsTheMessage(_ name: String) throws {
    let report = try report(name)
    #expect(report.message == "thread 'main' (17) panicked at src/main.rs:8:21:\nno such order")
    #expect(report.cause == "Rust panic")
  }

  @Test func theFormOfOlderVersionsIsRead() throws {
    let report = try report("panic-in-old-pieces")
    #expect(report.message == "thread 'main' panicked at 'no such order', src/main.rs:8:21")
  }

  /// Nothing else that the program prints is kept.
  @Test(arguments: ["no-panic", "panic-on-standard-output"]) func nothingElseIsKept(_ name: String) throws {
    let report = try report(name)
    #expect(report.message == nil)
    #expect(report.cause == "abort() called")
  }

  @Test func aLaterFaultDoesNotGetTheMessage() throws {
    #expect(try report("panic-then-fault", signal: SIGSEGV).message == nil)
  }
}
