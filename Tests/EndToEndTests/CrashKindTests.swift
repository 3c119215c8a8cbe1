import Foundation
import Testing

extension EndToEnd {
  /// What a death leaves beside its report. The reports of all kinds of death: Scripts/checks/deaths.py.
  @Suite struct CrashKindTests {
    @Test func nothingIsLeftWhenSwitchedOff() throws {
      let victim = try Victim(
        [Products.diagdemo, "crash", "null-read"],
        environment: ["CRASHKIT_OPTIONS": "enable=no", "SWIFT_BACKTRACE": "enable=no"])
      #expect(victim.run.end == .killed(signal: SIGSEGV))
      #expect(try FileManager.default.contentsOfDirectory(atPath: victim.folder.url.path).isEmpty)
    }

    @Test func summaryNamesCauseReportAndCommand() throws {
      let victim = try Victim([Products.diagdemo, "crash", "null-read"])
      let path = try victim.reportPath()
      let lines = victim.run.standardError.split(separator: "\n").filter { $0.hasPrefix("CrashKit[") }
      #expect((1...30).contains(lines.count))
      #expect(lines.first?.contains("null pointer dereference") == true)
      #expect(lines.contains { $0.hasSuffix("report: \(path)") })
      #expect(lines.last?.hasSuffix("crashsym \(path)") == true)
    }
  }
}
