import CrashReportView
import Foundation
import Workloads

/// Writes the result of a stress run as lines that GitHub's runners show next to the code. There is one line for each
/// problem, and one line with the number of variants that passed.
public enum GitHubSummary {
  public static func text(
    _ outcomes: [StressRun.Outcome], of count: Int, settings: StressSettings, sources: SourceFolders = SourceFolders()
  ) -> String {
    var text = ""
    for outcome in outcomes where outcome.verdict == .failed {
      let (record, judgement) = (outcome.record, outcome.judgement)
      let again = settings.command(for: record.stressCase)
      for problem in judgement.problems {
        let place = judgement.finds.first { $0.found == nil }?.plant.places.first
        text += line(
          "error", title: record.stressCase.name, place: place, "\(problem)\nagain: \(again)", sources: sources)
      }
      guard record.stressCase.variant.isCorrect else { continue }
      for extra in judgement.extras {
        text += WorkflowCommands.text(of: extra.report, sources: sources)
      }
    }
    let passed = outcomes.filter { $0.verdict == .passed }.count
    text += line(
      "notice", title: "diagdemo stress", place: nil,
      "\(passed) of \(count) variants passed, seed \(settings.seed)", sources: sources)
    return text
  }

  private static func line(
    _ command: String, title: String, place: Place?, _ message: String, sources: SourceFolders
  ) -> String {
    var properties = ["title=\(WorkflowCommands.escapedProperty(title))"]
    if let place {
      let path = WorkflowCommands.escapedProperty(path(of: place, sources))
      properties.insert("file=\(path),line=\(place.line)", at: 0)
    }
    return "::\(command) \(properties.joined(separator: ","))::\(WorkflowCommands.escaped(message))\n"
  }

  /// A place knows its file's name alone: it is that of a workload if the sources are at hand.
  private static func path(of place: Place, _ sources: SourceFolders) -> String {
    let folder = FileManager.default.currentDirectoryPath + "/Sources/Demo/Workloads"
    let files = FileManager.default.enumerator(atPath: folder)
    while let file = files?.nextObject() as? String {
      if file.split(separator: "/").last.map(String.init) == place.file {
        return sources.published("\(folder)/\(file)").file
      }
    }
    return place.file
  }
}
