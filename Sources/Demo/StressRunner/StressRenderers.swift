import CrashReportView

/// The result of a stress run.
public struct StressResult: Sendable {
  let run: StressRun
  let outcomes: [StressRun.Outcome]
  let folder: RunFolder
  let interrupted: Bool
  /// The whole result as JSON, with a line end.
  public let json: String

  /// - Throws: `StressFailure` with status 70 if the result cannot be written as JSON.
  public init(
    _ run: StressRun, _ outcomes: [StressRun.Outcome], folder: RunFolder, interrupted: Bool
  ) throws(StressFailure) {
    (self.run, self.outcomes, self.folder, self.interrupted) = (run, outcomes, folder, interrupted)
    do {
      json = try JSONSummary(
        outcomes, of: run.cases.count, settings: run.settings, folder: folder, interrupted: interrupted
      ).text()
    } catch {
      throw StressFailure(what: "cannot make JSON: \(error)", status: 70)
    }
  }

  /// Whether every variant ran and passed.
  public var passed: Bool { outcomes.count == run.cases.count && outcomes.allSatisfy(\.judgement.passed) }

  /// What people read.
  func text(_ options: TextReport.Options) -> String {
    let view = TextSummary(options: options)
    var text = outcomes.map { view.text(of: $0, settings: run.settings) + "\n" }.joined()
    text += view.footprints(outcomes) + "\n"
    return text
      + view.conclusion(
        outcomes, of: run.cases.count, settings: run.settings, folder: folder, interrupted: interrupted)
  }
}

extension StressResult: Rendered {
  public typealias Context = TextReport.Options

  /// The formats of `diagdemo stress`.
  public static let renderers: [Renderer<StressResult>] = [
    Renderer("text", isForPeople: true, .each { $0.text($1) }),
    Renderer("json", .each { result, _ in result.json }),
    Renderer("junit", .each { result, _ in JUnitSummary.text(result.outcomes, settings: result.run.settings) }),
    Renderer(
      "github",
      .each {
        GitHubSummary.text($0.outcomes, of: $0.run.cases.count, settings: $0.run.settings, sources: $1.sources)
      }),
  ]
}
