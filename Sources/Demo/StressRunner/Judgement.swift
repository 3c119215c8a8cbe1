import CrashReportModel
import Workloads

/// Whether a variant's run had the right result.
public struct Judgement: Sendable {
  /// A planted mistake, and the report about it.
  public struct Find: Sendable {
    public let plant: Plant
    /// The report about the mistake; `nil` if the mistake was not found.
    public let found: FoundReport?
  }

  /// The problems, one line each; empty if the variant passed.
  public let problems: [String]
  public let finds: [Find]
  /// Reports that are not about a planted mistake. In a correct variant, each of these reports is a problem.
  public let extras: [FoundReport]

  public var passed: Bool { problems.isEmpty }

  public init(_ record: VariantRecord) {
    let variant = record.stressCase.variant
    let findings = record.findings
    finds = variant.planted.map { plant in Find(plant: plant, found: findings.first { $0.tells(of: plant) }) }
    extras = findings.filter { finding in !variant.planted.contains { finding.tells(of: $0) } }
    guard record.end != .interrupted else {
      // What it had no time for says nothing of it.
      problems = ["it was interrupted"]
      return
    }
    var problems = Self.problems(of: record.end, for: variant, findings)
    for find in finds where find.found == nil { problems.append(Self.missing(find.plant, findings)) }
    if variant.isCorrect {
      problems += extras.map { "\($0.rule) was reported, but no report was expected" }
      if record.end == .finished {
        problems += record.lastState.map(Self.nonFinite) ?? ["the process wrote no report of its last state"]
      }
    }
    self.problems = problems
  }

  /// Whether each of the mistakes is reported.
  static func findsAll(_ planted: [Plant], in reports: [FoundReport]) -> Bool {
    planted.allSatisfy { plant in reports.contains { $0.tells(of: plant) } }
  }

  // MARK: The end

  private static func problems(of end: VariantEnd, for variant: Variant, _ findings: [FoundReport]) -> [String] {
    if end == .endedOnceFound, !variant.isCorrect { return [] }
    switch (variant.ending, end) {
    case (.finishes, .finished): return []
    case (.diesBy(let signals), .killed(let signal)) where signals.contains(signal):
      let told = findings.contains { $0.report.kind == .crashReport && $0.report.signal?.number == Int(signal) }
      return told ? [] : ["it died of signal \(signal) without a crash report"]
    case (.finishes, _): return ["it should end with status 0, but \(end)"]
    case (.diesBy(let signals), _):
      return ["it should die of signal \(signals.map(String.init).joined(separator: " or ")), but \(end)"]
    case (.hangs, _): return ["it should hang, but \(end)"]
    }
  }

  // MARK: What is missing

  private static func missing(_ plant: Plant, _ findings: [FoundReport]) -> String {
    let places = plant.places.map(\.description).joined(separator: " and ")
    let wanted = "no \(plant.kind) was reported" + (places.isEmpty ? "" : " at \(places)")
    let ofKind = findings.filter { $0.report.kind?.rawValue == plant.kind }
    guard let nearest = ofKind.max(by: { $0.namesOf(plant) < $1.namesOf(plant) }) else { return wanted }
    let absent = plant.places.filter { !nearest.report.names($0) }.map(\.description).joined(separator: ", ")
    return "\(wanted); reports of that kind: \(ofKind.count); the best match does not name \(absent)"
  }

  private static func nonFinite(_ last: FoundReport) -> [String] {
    (last.report.metrics ?? []).filter { $0.value?.isFinite == false }.map {
      "the metric \($0.name ?? "?") is \($0.value ?? .nan)"
    }
  }
}

extension FoundReport {
  func tells(of plant: Plant) -> Bool {
    report.kind?.rawValue == plant.kind && plant.places.allSatisfy(report.names)
  }

  fileprivate func namesOf(_ plant: Plant) -> Int { plant.places.filter(report.names).count }
}

extension CrashReport {
  /// Whether some stack of it, inlined calls included, has a frame at the place.
  func names(_ place: Place) -> Bool {
    stacksOfEvents.contains { stack in
      stack.contains { frame in
        guard let location = frame.sourceLocation, location.line == place.line, location.isApproximate != true else {
          return false
        }
        return location.file?.split(separator: "/").last.map(String.init) == place.file
      }
    }
  }

  /// All stacks but those that show where a lock was made.
  private var stacksOfEvents: [[Frame]] {
    var report = self
    report.violation?.locks = nil
    return report.stacks
  }
}
