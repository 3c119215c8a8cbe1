import CrashReportModel
import Foundation
import Testing

/// Python's jsonschema checks reports against `Docs/report.schema.json`.
@Suite struct SchemaTests {
  @Test func acceptsAFullReport() throws {
    let report = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    #expect(try Self.verdicts([report.json]) == ["valid"])
  }

  @Test func acceptsTheLeastReport() throws {
    let text = #"""
      {"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35Z","kind":"uncleanExit","process":{"pid":1,"name":"api"},
      "cause":"killed by SIGKILL",
      "ending":{"classification":"killed","evidence":[],"instance":"0123456789abcdef"},"capture":{"version":"1"}}
      """#
    #expect(try Self.verdicts([try Fixture.report(text).json]) == ["valid"])
  }

  @Test func incompleteViolationsAreRefused() throws {
    let good = try Fixture.report(Fixture.violation)
    let mistakes: [(inout CrashReport) -> Void] = [
      { $0.violation = nil },
      { $0.kind = .capture },
      { $0.hang = .init() },
      { $0.threads?[0].isViolating = nil },
      { $0.threads = $0.threads.map { $0 + $0 } },
      { $0.violation?.fields["severity"] = .string("fatal") },
      { $0.violation?.code = nil },
      { $0.violation?.thread = nil },
      { $0.violation?.fields["colour"] = .string("red") },
      { $0.violation?.locks?[0].type = "lock" },
      { $0.violation?.edges?[0].from = -1 },
      { $0.violation?.edges?[0].toMode = "read" },
      { $0.violation?.edges?[0].toFrames = nil },
      { $0.violation?.stacks?[0].label = nil },
    ]
    let reports =
      [good.json, good.scrubbed().json]
      + mistakes.map { mistake in
        var report = good
        mistake(&report)
        return report.json
      }
    let verdicts = try Self.verdicts(reports)
    #expect(verdicts.prefix(2) == ["valid", "valid"])
    for (index, verdict) in verdicts.dropFirst(2).enumerated() { #expect(verdict != "valid", "mistake \(index)") }
  }

  @Test func refusesMistakes() throws {
    let good = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    let mistakes: [(inout CrashReport) -> Void] = [
      { $0.schema = "crashkit/2" },
      { $0.timestamp = nil },
      { $0.fields["timestamp"] = .string("yesterday") },
      { $0.fields["kind"] = .string("crash") },
      { $0.signal = nil },
      { $0.signal?.name = "11" },
      { $0.fields["faultAddress"] = .string("0x0") },
      { $0.fields["treads"] = .array([]) },
      { $0.images?[0].buildID = "4DD7" },
      { $0.images?[0].baseAddress = nil },
      { $0.threads = [] },
      { $0.threads?.reverse() },
      { $0.threads?[1].crashed = true },
      { $0.threads?[1].state = "R" },
      { $0.threads?[1].belongsTo = "the program" },
      { $0.threads?[1].stackEnd = nil },
      { $0.threads?[1].unwoundBy = nil },
      { $0.threads?[1].capturedBy = "none" },
      { $0.threads?[0].frames?[0].kind = nil },
      { $0.threads?[0].frames?[0].address = nil },
      { $0.threads?[0].frames?[0].fields["inlined"] = .bool(false) },
      { $0.threads?[0].frames?[0].fields["lokation"] = .null },
      { $0.capturedMemory?["rax"] = .string("00") },
      { $0.breadcrumbs?[0].fields["message"] = nil },
      { $0.metrics?[0].fields["value"] = .string("NaN") },
      { $0.metrics?[0].state = "bad" },
      { $0.memory?.fields["resident"] = .number("-1") },
      { $0.capture?.unanswered?[0].reason = nil },
    ]
    let reports = mistakes.map { mistake in
      var report = good
      mistake(&report)
      return report.json
    }
    let verdicts = try Self.verdicts(reports)
    #expect(verdicts.count == mistakes.count)
    for (index, verdict) in verdicts.enumerated() { #expect(verdict != "valid", "mistake \(index)") }
  }

  /// One line for each report: `valid`, or what is wrong.
  private static func verdicts(_ reports: [JSONValue]) throws -> [String] {
    let input = FileManager.default.temporaryDirectory.appending(path: "reports-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: input) }
    try Data(reports.map(\.text).joined(separator: "\n").utf8).write(to: input)
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/env")
    let schema = Fixture.tests.deletingLastPathComponent().appending(path: "Docs/report.schema.json")
    python.arguments = [
      "python3", Fixture.tests.appending(path: "Helpers/validate.py").path(), schema.path(), input.path(),
    ]
    let output = Pipe()
    python.standardOutput = output
    try python.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    let verdicts = text.split(separator: "\n").map { String($0.replacing("\(input.path()): ", with: "")) }
    try #require(python.terminationStatus == (verdicts.allSatisfy { $0 == "valid" } ? 0 : 1))
    return verdicts
  }
}
