import Foundation
import Testing

/// `CRASHKIT_OPTIONS=output=json-line`: a crash is one line of JSON on standard error, and a report as ever.
struct JSONLineTests {
  private static let limit = 16 << 10

  /// The line, which is all that CrashKit prints.
  private func line(_ run: HandlerProbe) throws -> [String: Any] {
    #expect(run.errors.hasSuffix("\n"))
    let text = try #require(run.errors.split(separator: "\n").last)
    #expect(text.utf8.count < Self.limit)
    // JSONSerialization refuses bytes that are not UTF-8.
    return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  private func run(_ probe: String, _ options: String = "output=json-line") throws -> HandlerProbe {
    try HandlerProbe(probe, options: options)
  }

  @Test func aCrashIsOneLineBesideItsReport() throws {
    let run = try run("null-read")
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.errors.split(separator: "\n").count == 1)
    let line = try line(run)
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty)
    #expect(line["severity"] as? String == "CRITICAL")
    #expect(line["log.level"] as? String == "critical")
    #expect(line["error.type"] as? String == "SIGSEGV")
    #expect(line["crashkit.cause"] as? String == "nullDereference")
    #expect((line["message"] as? String)?.hasPrefix("handler-probe died: null pointer dereference") == true)
    #expect((line["error.stack_trace"] as? String)?.hasPrefix("#0 handler-probe+0x") == true)
    #expect(line["process.pid"] as? Int == (report.process?.pid).map(Int.init))
    #expect(line["crashkit.path"] as? String == (try run.reportFiles().first?.path))
    #expect(line["@timestamp"] as? String == line["time"] as? String)
  }

  @Test func theFingerprintDependsOnTheBuildAndThePlace() throws {
    let fingerprints = try ["null-read", "null-read", "abort", "trap"].map {
      try #require(try line(try run($0))["crashkit.fingerprint"] as? String)
    }
    #expect(fingerprints.allSatisfy { $0.wholeMatch(of: /b1-[0-9a-f]{16}/) != nil }, "\(fingerprints)")
    #expect(fingerprints[0] == fingerprints[1])
    #expect(Set(fingerprints).count == 3)
  }

  /// Names and a message that are made to break the line. The program's own path is one of them.
  @Test func hostileTextsBreakNothing() throws {
    let name = String(repeating: "\"\\", count: 60) + "\u{1B}[2J\u{202E}"
    let copied = ["/bin/sh", "-c", #"cp -- "$1" "$PWD/$NAME" && shift && exec "$PWD/$NAME" "$@""#, "sh"]
    let run = try HandlerProbe(
      "panic-odd", environment: ["NAME": name], options: "output=json-line", wrapper: copied)
    #expect(run.end == .killed(signal: SIGABRT))
    let line = try line(run)
    let message = try #require(line["error.message"] as? String)
    #expect(message.hasPrefix(#"thread 'main' (17) panicked at src/main.rs:8:21: "\?[2J?é"\?[2J"#))
    #expect(message.hasSuffix("…"))
    #expect((line["process.name"] as? String)?.hasPrefix(#""\"\"#) == true)
    let inner = try #require(line["crashkit.report"] as? [String: Any])
    let threads = try #require(inner["threads"] as? [[String: Any]])
    let frames = try #require(threads.first?["frames"] as? [[String: Any]])
    #expect(frames.count == 25, "24 frames, and that the stack goes on")
    #expect(frames.last?["kind"] as? String == "truncated")
    #expect((line["error.stack_trace"] as? String)?.isEmpty == false)
    // The path is whole, or not there.
    let images = try #require(inner["images"] as? [[String: Any]])
    #expect(images.contains { ($0["path"] as? String)?.hasSuffix("/libc.so.6") == true })
    #expect(try run.report().capture.cutShort.isEmpty)
  }

  /// Nothing is lost where no file can be made: the report goes to standard error then, as numbered lines.
  @Test func withoutAFolderTheReportIsNumberedLines() throws {
    let run = try run("directory-removed")
    let line = try line(run)
    #expect(run.errors.contains("crashkit-report "))
    #expect(line["error.type"] as? String == "SIGSEGV")
    #expect(line["crashkit.path"] == nil)
  }
}
