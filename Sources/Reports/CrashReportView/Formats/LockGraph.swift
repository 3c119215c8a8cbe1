import CrashReportModel

/// The lock order of a violation as a Graphviz file. An arrow from lock A to lock B means that a thread held A, and
/// then took B or waited for it.
public enum LockGraph {
  /// The text of a directed graph, or `nil` if the report has no lock order.
  public static func text(of report: CrashReport, sources: SourceFolders = SourceFolders()) -> String? {
    guard let violation = report.violation, let edges = violation.edges, !edges.isEmpty else { return nil }
    let names = LockNames(violation.locks ?? [])
    let lines = StackLines(report, sources)
    var text = "digraph locks {\n"
    text += "  label=\(quoted(violation.message ?? report.description ?? "lock order"));\n"
    text += "  node [shape=box];\n"
    for (index, lock) in (violation.locks ?? []).enumerated() {
      text += "  \(names.letter(index)) [label=\(quoted("\(names.letter(index))\n\(names.description(of: lock))"))];\n"
    }
    for edge in edges {
      guard let from = edge.from, let to = edge.to else { continue }
      let thread = edge.thread?.id.map { id in "thread \(id)" + (edge.thread?.name.map { " \"\($0)\"" } ?? "") }
      let place = lines.lines((edge.toFrames ?? []).withoutGuard).first { $0.isOwn && $0.isFrame }
      let words = [thread, place?.function, place?.location].compactMap { $0 }.filter { !$0.isEmpty }
      text += "  \(names.letter(from)) -> \(names.letter(to)) [label=\(quoted(words.joined(separator: "\n")))];\n"
    }
    return text + "}\n"
  }

  /// A quoted string of the DOT language, in which a backslash begins an escape of the label's.
  private static func quoted(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let escaped = lines.map { String($0).harmless.replacingScalars { ["\"": "\\\"", "\\": "\\\\"][$0] } }
    return "\"\(escaped.joined(separator: "\\n"))\""
  }
}
