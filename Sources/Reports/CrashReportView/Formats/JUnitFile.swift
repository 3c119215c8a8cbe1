import CrashReportModel

/// Reports as the XML that CI systems read: one suite, with a failed case for each report. A case has the name of the
/// test that crashed. If there is no such test, the name of the case is the report's fingerprint, because a fingerprint
/// is the same in each run.
public enum JUnitFile {
  /// A complete JUnit file with one suite for these reports. The last line has a line end.
  public static func text(of reports: [VerifiedReport], options: TextReport.Options) -> String {
    JUnitMerging.file(holding: suite(of: reports, options: options))
  }

  /// The suite alone, with its line end.
  static func suite(of reports: [VerifiedReport], options: TextReport.Options) -> String {
    let cases = reports.map { ($0, Finding($0.report, options.sources)) }
    let errors = cases.count { $0.1.severity != .note }
    var markup = Markup()
    markup.element(
      "testsuite",
      [
        .literal("name", "crashsym"), .count("tests", cases.count), .count("failures", 0), .count("errors", errors),
        .count("skipped", 0),
      ]
    ) { markup in
      markup.endLine()
      for (report, finding) in cases { write(report, finding, options, to: &markup) }
    }
    markup.endLine()
    return markup.text
  }

  private static func write(
    _ verified: VerifiedReport, _ finding: Finding, _ options: TextReport.Options, to markup: inout Markup
  ) {
    let report = verified.report
    let parts = ReportParts(verified, options)
    let uptime = report.process?.uptime.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    markup.element(
      "testcase",
      [
        .text(.classname, report.test?.className ?? report.application?.name ?? report.process?.name ?? "crashsym"),
        .text(.name, report.test?.functionName ?? report.fingerprint?.title ?? finding.rule),
        .number("time", uptime ?? 0),
      ]
    ) { markup in
      markup.endLine()
      if finding.severity != .note {
        let sentence = TestWords(report: report).sentence.map { ", \($0)" } ?? ""
        markup.element("error", [.text(.type, finding.rule), .text(.message, parts.headline + sentence)]) { markup in
          markup.add(lines: body(of: parts))
        }
        markup.endLine()
      }
      let before = parts.parts.filter { $0.rank == .history }.map(\.text).joined()
      if !before.isEmpty {
        markup.element("system-out") { $0.add(lines: before) }
        markup.endLine()
      }
    }
    markup.endLine()
  }

  /// The facts, what the program said, and the parts that say what happened.
  private static func body(of parts: ReportParts) -> String {
    var text = parts.facts.map { "\($0.title): \($0.text.harmless)\n" }.joined()
    if let message = parts.message { text += "\n\(message)\n" }
    for part in parts.parts where part.rank == .main { text += "\n\(part.text)" }
    return text
  }
}
