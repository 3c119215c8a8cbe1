import CrashReportModel

/// A report as a line that GitHub's runners show next to the code: `::error file=…,line=…::message`.
///
/// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
public enum WorkflowCommands {
  /// The line of a report, with its line end. Files inside the repository are named relative to its folder, as the
  /// runner expects them.
  public static func text(of report: CrashReport, sources: SourceFolders = SourceFolders()) -> String {
    let finding = Finding(report, sources)
    var properties: [(String, String)] = []
    if let file = finding.place?.file {
      properties.append(("file", file))
      if let line = finding.place?.line { properties.append(("line", String(line))) }
      if let column = finding.place?.column { properties.append(("col", String(column))) }
    }
    properties.append(("title", finding.rule))
    let tests = TestWords(report: report)
    let lines =
      [finding.message] + [tests.sentence, finding.context, tests.othersSentence].compactMap(\.self)
      + finding.stacks.compactMap(line(for:))
    let command = command(for: finding.severity)
    let listed = properties.map { "\($0)=\(escapedProperty($1))" }.joined(separator: ",")
    return "::\(command) \(listed)::\(escaped(lines.joined(separator: "\n")))\n"
  }

  private static func command(for severity: CrashReport.Violation.Severity) -> String {
    switch severity {
    case .error: "error"
    case .warning: "warning"
    case .note: "notice"
    }
  }

  /// The place of a stack in the program's own code, or else its innermost call, in one line.
  private static func line(for stack: Finding.Stack) -> String? {
    let places = stack.places
    guard let place = places.first(where: \.isOwn) ?? places.first(where: \.isOfProgram) ?? places.first else {
      return nil
    }
    let thread = stack.thread.flatMap { $0 == 0 ? nil : "thread \($0): " } ?? ""
    let location = place.file.map { " (\($0)\(place.line.map { ":\($0)" } ?? ""))" } ?? ""
    return "\(thread)\(stack.label): \(place.function ?? "?")\(location)"
  }

  package static func escaped(_ text: String) -> String {
    // The runner reads these three back; what else a terminal would obey has no place in its log.
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).harmless.replacingScalars { ["%": "%25", "\r": "%0D"][$0] } }.joined(separator: "%0A")
  }

  package static func escapedProperty(_ text: String) -> String {
    escaped(text).replacingScalars { [":": "%3A", ",": "%2C"][$0] }
  }
}
