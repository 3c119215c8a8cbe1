/// The keys of a section, each in one of two lists: what a copy for a ticket keeps, and what it leaves out.
public struct SectionKeys: Sendable {
  /// Keys that hold nothing private, or whose values are made harmless.
  public let kept: Set<String>
  /// Keys that `--scrub` takes out.
  public let hidden: Set<String>

  init(_ kept: Set<String>, hiding hidden: Set<String> = []) {
    self.kept = kept
    self.hidden = hidden
  }

  /// All keys.
  public var all: Set<String> { kept.union(hidden) }
}

/// A section whose keys are listed. `Docs/report-format.md`, the JSON Schema and `--scrub` have the same lists.
public protocol ListedSection: ReportSection {
  static var keys: SectionKeys { get }
}

extension CrashReport: ListedSection {
  public static let keys = SectionKeys(
    [
      "schema", "timestamp", "kind", "description", "signal", "faultAddress", "cause", "causeCode", "message", "ending",
      "platform", "architecture", "process", "application", "images", "omittedImages", "threads", "omittedThreads",
      "breadcrumbs", "omittedBreadcrumbs", "attributes", "metrics", "violation", "memory", "host", "capture", "hang",
      "symbolication", "fingerprint", "backtraceTime",
    ], hiding: ["capturedMemory"])
}

extension CrashReport.Signal: ListedSection {
  public static let keys = SectionKeys(["number", "name", "code", "codeName", "pid", "uid"])
}

extension CrashReport.Ending: ListedSection {
  public static let keys = SectionKeys([
    "classification", "evidence", "lastAlive", "instance", "status", "unfinishedReport",
  ])
}

extension CrashReport.Process: ListedSection {
  public static let keys = SectionKeys(["pid", "name", "startedAt", "uptime"], hiding: ["arguments", "environment"])
}

extension CrashReport.Application: ListedSection {
  public static let keys = SectionKeys(["name", "version", "build"])
}

extension CrashReport.Image: ListedSection {
  public static let keys = SectionKeys(["name", "buildId", "path", "baseAddress", "endOfText"])
}

extension CrashReport.Thread: ListedSection {
  public static let keys = SectionKeys([
    "id", "name", "belongsTo", "crashed", "violating", "state", "signal", "faultAddress", "capturedBy", "unwoundBy",
    "stackEnd", "registers", "frames", "task", "heldLocks", "waitingFor",
  ])
}

extension CrashReport.Task: ListedSection {
  public static let keys = SectionKeys(["id", "name", "parent"])
}

extension CrashReport.HeldLock: ListedSection {
  public static let keys = SectionKeys(["address", "type", "mode", "name", "takenAt", "waitsAt"])
}

extension CrashReport.Frame: ListedSection {
  public static let keys = SectionKeys([
    "kind", "address", "count", "byFramePointer", "symbol", "offset", "description", "image", "inlined", "system",
    "sourceLocation",
  ])
}

extension CrashReport.SourceLocation: ListedSection {
  public static let keys = SectionKeys(["file", "line", "column", "approximate"])
}

extension CrashReport.Breadcrumb: ListedSection {
  public static let keys = SectionKeys(["time", "thread", "level", "category", "message", "attributes"])
}

extension CrashReport.Metric: ListedSection {
  public static let keys = SectionKeys(["name", "value", "unit", "threshold", "state", "updatedAt"])
}

extension CrashReport.Hang: ListedSection {
  public static let keys = SectionKeys([
    "queue", "thread", "startedAt", "threshold", "duration", "ended", "recovered", "samples", "omittedSamples",
  ])
}

extension CrashReport.Hang.Sample: ListedSection {
  public static let keys = SectionKeys(["time", "after", "frames"])
}

extension CrashReport.Violation: ListedSection {
  public static let keys = SectionKeys([
    "severity", "code", "message", "thread", "expected", "actual", "function", "sourceLocation", "locks", "edges",
    "stacks",
  ])
}

extension CrashReport.Violation.Lock: ListedSection {
  public static let keys = SectionKeys(["address", "type", "name", "origin"])
}

extension CrashReport.Violation.Edge: ListedSection {
  public static let keys = SectionKeys(["from", "to", "fromMode", "toMode", "thread", "fromFrames", "toFrames", "held"])
}

extension CrashReport.Violation.Participant: ListedSection {
  public static let keys = SectionKeys(["id", "name"])
}

extension CrashReport.Violation.LabelledStack: ListedSection {
  public static let keys = SectionKeys(["label", "thread", "frames"])
}

extension CrashReport.Memory: ListedSection {
  public static let keys = SectionKeys(["resident", "peak", "virtual", "limit"])
}

extension CrashReport.Host: ListedSection {
  public static let keys = SectionKeys(["machine", "osName", "osVersion", "kernel", "cores", "memory"])
}

extension CrashReport.Capture: ListedSection {
  public static let keys = SectionKeys([
    "version", "unwinder", "captureTime", "writeTime", "threads", "unanswered", "unprotected", "cutShort",
  ])
}

extension CrashReport.Note: ListedSection {
  public static let keys = SectionKeys(["id", "what", "reason"])
}

extension CrashReport.Symbolication: ListedSection {
  public static let keys = SectionKeys(["missingImages", "unverifiedImages"])
}

extension CrashReport.MissingImage: ListedSection {
  public static let keys = SectionKeys([
    "name", "buildId", "path", "debugInfo", "foundPath", "foundBuildId", "searched",
  ])
}

extension CrashReport.UnverifiedImage: ListedSection {
  public static let keys = SectionKeys(["name", "foundPath", "changedSince"])
}

extension CrashReport.Fingerprint: ListedSection {
  public static let keys = SectionKeys(["value", "class", "functions", "program"])
}
