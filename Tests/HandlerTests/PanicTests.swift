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

  @Test(arguments: ["panic-whole", "panic-in-pieces", "panic-gathered"])
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

  /// The program lived on, so that the panic is no cause of what came later.
  @Test(arguments: [
    ("panic-on-a-thread", SIGABRT, "abort() called"), ("panic-caught", SIGABRT, "abort() called"),
    ("panic-then-fault", SIGSEGV, "null pointer dereference (write at 0x8)"),
  ])
  func anEarlierPanicIsABreadcrumb(_ name: String, _ signal: Int32, _ cause: String) throws {
    let report = try report(name, signal: signal)
    #expect(report.message == nil)
    #expect(report.cause == cause)
    let words = "thread 'main' (17) panicked at src/main.rs:8:21:\nno such order"
    #expect(report.breadcrumbs?.map(\.message) == [words])
  }
}
