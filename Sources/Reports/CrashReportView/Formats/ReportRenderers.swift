import CrashReportModel

/// What the renderers of a report need in addition to the report.
public struct ReportContext: Sendable {
  /// The options of the text, and the folders of source files on this machine.
  public var options: TextReport.Options
  /// The version of the command.
  public var version: String

  /// Sets the options and the version.
  public init(options: TextReport.Options, version: String) {
    self.options = options
    self.version = version
  }
}

extension VerifiedReport: Rendered {
  public typealias Context = ReportContext

  /// The formats of `crashsym FILE`. `Docs/contributing.md` lists the other changes for a new format.
  public static let renderers: [Renderer<VerifiedReport>] = [
    Renderer("text", isForPeople: true, .each { TextReport(options: $1.options).text(of: $0) }),
    Renderer("json", .each { report, _ in report.report.json.text + "\n" }),
    Renderer("collapsed", lack: "has no stack", .each { report, _ in CollapsedStacks.text(of: report.report) }),
    Renderer("speedscope", .each { report, _ in SpeedscopeFile.text(of: report.report) + "\n" }),
    Renderer("firefox", .all { reports, _ in FirefoxProfileFile.text(of: reports.map(\.report)) + "\n" }),
    Renderer(
      "dot", lack: "has no order of locks",
      .each { LockGraph.text(of: $0.report, sources: $1.options.sources) }),
    Renderer(
      "sarif",
      .all { SarifFile.text(of: $0.map(\.report), version: $1.version, sources: $1.options.sources) + "\n" }),
    Renderer("github", .each { WorkflowCommands.text(of: $0.report, sources: $1.options.sources) }),
    Renderer("markdown", .all { MarkdownReport.text(of: $0, options: $1.options) }),
    Renderer("html", .all { HTMLReport.text(of: $0, options: $1.options) }),
    Renderer("junit", .all { JUnitFile.text(of: $0, options: $1.options) }),
    Renderer("pprof", .file { reports, _ in PprofFile.bytes(of: reports.map(\.report)) }),
  ]
}
