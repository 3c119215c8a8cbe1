import Foundation
import Testing

/// Crashes of programs whose standard error nobody reads: the report is finished first, and the process dies soon after.
struct UnreadErrorTests {
  /// What `Tests/Helpers/unread.py` prints.
  private struct Outcome: Decodable {
    var status: Int32
    var seconds: Double
    var keepsFlags: Bool
    var errors: String
  }

  private static let helper = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Helpers/unread.py").path

  @Test(
    arguments: ["pipe", "socket", "terminal", "closed"],
    ["", "output=stderr", "summary=no,output=stderr", "output=json-line"])
  func `the report is whole and the process does not wait`(_ kind: String, _ options: String) throws {
    let run = try HandlerProbe(
      "unread-five-threads", options: options, seconds: 40, wrapper: ["/usr/bin/python3", Self.helper, kind])
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(run.output.utf8))
    #expect(outcome.status == -SIGSEGV)
    #expect(outcome.seconds < 1.9, "the time limit of a report did not have to end it")
    #expect(outcome.keepsFlags)
    #expect(outcome.errors == "")
    let report = try run.report()
    #expect(report.threads.count == 5)
    #expect(report.capture.cutShort.isEmpty)
  }
}
