import CrashKit
import Testing

/// A program that uses CrashKit runs on as if CrashKit were switched off.
struct CrashKitElsewhereTests {
  @Test func itSaysThatItDoesNotWork() {
    #expect(!CrashKit.isSupported)
  }

  @Test func anInstallationCapturesNothing() throws {
    let installation = try CrashKit.install(
      .init(directory: "/nonexistent", application: .init(name: "shop"), retention: .init(count: 3)))
    #expect(!installation.isEnabled)
    #expect(installation.directory == nil)
    #expect(try CrashKit.storedReports(includingHandled: true).isEmpty)
  }

  @Test func notesAreTakenAndNotKept() {
    CrashKit.record("began", category: "test", level: .warning, attributes: ["order": "7"])
    CrashKit.registerMetric("load", unit: "ratio").update(0.5, state: .critical, threshold: 0.4)
    #expect(!CrashKit.setAttribute("tenant", "north"))
  }

  @Test func aContextRunsItsWork() async throws {
    #expect(CrashKit.withContext("order", ["id": "7"]) { 7 } == 7)
    #expect(await CrashKit.withContext("order") { await Task { 8 }.value } == 8)
    #expect(throws: CancellationError.self) { try CrashKit.withContext("order") { throw CancellationError() } }
  }

  @Test func capturesAndTasksSayThatItIsOff() {
    #expect { try CrashKit.capture("now") } throws: { ($0 as? CrashKit.CaptureError)?.reason == .notInstalled }
    #expect { try CrashKit.capture(error: CancellationError()) } throws: {
      ($0 as? CrashKit.CaptureError)?.reason == .notInstalled
    }
    #expect { try CrashKit.tasks() } throws: { ($0 as? CrashKit.TaskSearchError)?.reason == .notInstalled }
  }

  @Test func nothingIsWatched() {
    #expect(CrashKit.HangDetector.start() == nil)
    #expect(CrashKit.HangDetector.start(actor: MainActor.shared) == nil)
    #expect(CrashKit.HangDetector.start(poolsOf: [.medium]) == nil)
    #expect(CrashKit.HangDetector.watchTasks(notMovedFor: .seconds(1)) == nil)
  }

  @Test func typesThatHoldValuesWork() throws {
    let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    let trace = try #require(CrashKit.Trace(traceparent: header))
    #expect(trace.traceId == "0af7651916cd43dd8448eb211c80319c")
    #expect(CrashKit.Level.info < .error)
  }
}
