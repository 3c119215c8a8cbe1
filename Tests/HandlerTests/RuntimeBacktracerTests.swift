import Foundation
import Testing

/// Whether the Swift runtime's backtracer runs after CrashKit.
@Suite(.serialized) struct RuntimeBacktracerTests {
  private func runsBacktracer(_ name: String, chain: String?) throws -> Bool {
    let run = try HandlerProbe(name, options: chain.map { "chain=\($0)" } ?? "")
    #expect(run.end == .killed(signal: SIGSEGV), "\(run.errors)")
    return FileManager.default.fileExists(atPath: run.files.appending(path: "backtracer").path)
  }

  /// A whole report, in a file or as numbered lines, is enough.
  @Test(arguments: ["backtracer-second", "backtracer-with-standard-error"])
  func aWholeReportIsEnough(_ name: String) throws {
    #expect(try runsBacktracer(name, chain: nil) == false)
    #expect(try runsBacktracer(name, chain: "auto") == false)
    #expect(try runsBacktracer(name, chain: "no") == false)
    #expect(try runsBacktracer(name, chain: "yes"))
  }

  /// The report was never written, not to its end, or the time was up.
  @Test(arguments: [
    "backtracer-without-output", "backtracer-after-full-file", "backtracer-after-fault", "backtracer-after-hard-limit",
  ])
  func withoutAWholeReportItRuns(_ name: String) throws {
    #expect(try runsBacktracer(name, chain: nil))
    #expect(try runsBacktracer(name, chain: "no") == false)
  }

  /// CrashKit could not be installed, so its options have no say.
  @Test func withoutMemoryItRuns() throws {
    #expect(try runsBacktracer("backtracer-without-memory", chain: nil))
  }

  /// The runtime's own, switched on as the Dockerfiles of server templates do.
  @Test func theRuntimesOwn() throws {
    let environment = ["SWIFT_BACKTRACE": "enable=yes,sanitize=yes,threads=all,images=all,interactive=no"]
    let whole = try HandlerProbe("null-read", environment: environment)
    #expect(whole.end == .killed(signal: SIGSEGV))
    _ = try whole.report()
    #expect(!whole.errors.contains("*** Program crashed: "))
    let unfinished = try HandlerProbe("stall-everywhere", environment: environment, seconds: 40)
    #expect(unfinished.end == .killed(signal: SIGSEGV))
    #expect(unfinished.errors.contains("*** Program crashed: "))
    #expect(unfinished.errors.contains("Backtrace took "))
    // Four seconds for the hard limit, and what the backtracer takes; its own limit is far away.
    #expect(unfinished.seconds < 20)
  }
}
