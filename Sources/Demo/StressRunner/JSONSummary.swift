import Foundation
import Workloads

/// A stress run as one JSON object: `Docs/diagdemo.md` describes it.
public struct JSONSummary: Encodable, Sendable {
  struct Row: Encodable, Sendable {
    let workload, variant, summary: String
    let passed: Bool
    let problems: [String]
    let end: String
    let seconds: Double
    let planted: [Planted]
    let findings: [Report]
    let footprint: Footprint?
    let folder: String?
    let again: String
  }

  struct Planted: Encodable, Sendable {
    let kind: String
    let places: [String]
    let report: String?
  }

  struct Report: Encodable, Sendable {
    let path, rule: String
    let severity: String?
    let message: String?
    let planted: Bool
  }

  let schema = "diagdemo-stress/1"
  let seed: String
  let duration: Double
  let threads: Int
  let command: String
  let passed: Bool
  let interrupted: Bool
  let notRun: Int
  let folder: String
  let variants: [Row]

  public init(
    _ outcomes: [StressRun.Outcome], of count: Int, settings: StressSettings, folder: RunFolder, interrupted: Bool
  ) {
    // A 64-bit number is beyond what JSON's readers keep.
    seed = "\(settings.seed)"
    duration = settings.duration
    threads = settings.threads
    command = settings.command
    self.interrupted = interrupted
    notRun = count - outcomes.count
    passed = notRun == 0 && outcomes.allSatisfy(\.judgement.passed)
    self.folder = folder.path
    variants = outcomes.map { outcome in
      let (record, judgement) = (outcome.record, outcome.judgement)
      return Row(
        workload: record.stressCase.workload, variant: record.stressCase.variant.name,
        summary: record.stressCase.variant.summary, passed: judgement.passed, problems: judgement.problems,
        end: record.end.description, seconds: record.seconds,
        planted: judgement.finds.map {
          Planted(kind: $0.plant.kind, places: $0.plant.places.map(\.description), report: $0.found?.path)
        },
        findings: record.findings.map { found in
          Report(
            path: found.path, rule: found.rule, severity: found.report.violation?.severity?.rawValue,
            message: found.report.violation?.message ?? found.report.cause ?? found.report.description,
            planted: !judgement.extras.contains { $0.path == found.path })
        },
        footprint: record.footprint, folder: record.folder?.path, again: settings.command(for: record.stressCase))
    }
  }

  /// The object, with a line end.
  public func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
