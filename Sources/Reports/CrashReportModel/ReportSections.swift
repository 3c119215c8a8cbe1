// The sections of a report, and the keys of each. A new section begins at
// Sources/Ground/CReportParts/include/CReportParts/section_table.def and is listed here. What else it touches:
// Docs/contributing.md.

/// The keys of a section, in two lists: the keys that a scrubbed copy of the report keeps, and the keys that such a
/// copy leaves out.
public struct SectionKeys: Sendable {
  /// Keys that `--scrub` keeps: their values are not private, or `--scrub` makes them harmless.
  public let kept: Set<String>
  /// Keys that `--scrub` removes.
  public let hidden: Set<String>
  /// What `--scrub` finds under the kept keys that hold no plain text.
  let values: [String: ScrubbedValue]

  init(_ kept: Set<String>, hiding hidden: Set<String> = [], holding values: [String: ScrubbedValue] = [:]) {
    self.kept = kept
    self.hidden = hidden
    self.values = values
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
      "schema", "timestamp", "kind", "description", "signal", "faultAddress", "cause", "causeCode", "message",
      "context", "ending",
      "platform", "architecture", "process", "application", "images", "omittedImages", "threads", "omittedThreads",
      "guarded", "thrown", "omittedThrown", "deadlock", "tasks", "omittedTasks", "breadcrumbs", "omittedBreadcrumbs",
      "attributes",
      "metrics", "violation", "memory", "fault", "descriptors",
      "host", "capture", "hang", "symbolication", "fingerprint", "test", "otherTests", "backtraceTime",
    ], hiding: ["capturedMemory"],
    holding: [
      "context": .section(CrashReport.Context.self),
      "signal": .section(CrashReport.Signal.self), "ending": .section(CrashReport.Ending.self),
      "process": .section(CrashReport.Process.self), "application": .section(CrashReport.Application.self),
      "images": .list(.section(CrashReport.Image.self)), "threads": .list(.section(CrashReport.Thread.self)),
      "guarded": .section(CrashReport.Guarded.self),
      "thrown": .list(.section(CrashReport.ThrownError.self)),
      "deadlock": .section(CrashReport.Deadlock.self), "tasks": .list(.section(CrashReport.LiveTask.self)),
      "breadcrumbs": .list(.section(CrashReport.Breadcrumb.self)), "attributes": .values,
      "metrics": .list(.section(CrashReport.Metric.self)), "violation": .section(CrashReport.Violation.self),
      "fault": .section(CrashReport.Fault.self), "descriptors": .section(CrashReport.Descriptors.self),
      "memory": .section(CrashReport.Memory.self), "host": .section(CrashReport.Host.self),
      "capture": .section(CrashReport.Capture.self), "hang": .section(CrashReport.Hang.self),
      "symbolication": .section(CrashReport.Symbolication.self), "fingerprint": .section(CrashReport.Fingerprint.self),
      "test": .section(CrashReport.Test.self), "otherTests": .list(.section(CrashReport.Test.self)),
    ])
}

extension CrashReport.Signal: ListedSection {
  public static let keys = SectionKeys(["number", "name", "code", "codeName", "pid", "uid"])
}

extension CrashReport.Ending: ListedSection {
  public static let keys = SectionKeys(
    [
      "classification", "evidence", "lastAlive", "instance", "status", "unfinishedReport", "isExitTest",
    ], holding: ["evidence": .list(.text), "unfinishedReport": .name])
}

extension CrashReport.Process: ListedSection {
  public static let keys = SectionKeys(["pid", "name", "startedAt", "uptime"], hiding: ["arguments", "environment"])
}

extension CrashReport.Application: ListedSection {
  public static let keys = SectionKeys(["name", "version", "build"])
}

extension CrashReport.Image: ListedSection {
  public static let keys = SectionKeys(
    ["name", "buildId", "path", "baseAddress", "endOfText"], holding: ["name": .name, "buildId": .name, "path": .name])
}

extension CrashReport.Thread: ListedSection {
  public static let keys = SectionKeys(
    [
      "id", "name", "belongsTo", "crashed", "violating", "state", "signal", "faultAddress", "capturedBy", "unwoundBy",
      "stackEnd", "registers", "frames", "task", "context", "heldLocks", "waitingFor",
    ],
    holding: [
      "context": .section(CrashReport.Context.self),
      "signal": .section(CrashReport.Signal.self), "registers": .registers,
      "frames": .list(.section(CrashReport.Frame.self)), "task": .section(CrashReport.Task.self),
      "heldLocks": .list(.section(CrashReport.HeldLock.self)), "waitingFor": .section(CrashReport.HeldLock.self),
    ])
}

extension CrashReport.Task: ListedSection {
  public static let keys = SectionKeys(["id", "name", "parent"], holding: ["parent": .section(CrashReport.Task.self)])
}

extension CrashReport.Guarded: ListedSection {
  public static let keys = SectionKeys(
    ["address", "size", "offset", "type", "allocated", "released"],
    holding: [
      "allocated": .section(CrashReport.Guarded.Step.self), "released": .section(CrashReport.Guarded.Step.self),
    ])
}

extension CrashReport.Guarded.Step: ListedSection {
  public static let keys = SectionKeys(
    ["thread", "frames"], holding: ["frames": .list(.section(CrashReport.Frame.self))])
}

extension CrashReport.ThrownError: ListedSection {
  public static let keys = SectionKeys(
    ["time", "thread", "task", "context", "type", "isCause", "causeKnownBy", "frames"],
    holding: [
      "context": .section(CrashReport.Context.self), "frames": .list(.section(CrashReport.Frame.self)),
    ])
}

extension CrashReport.LiveTask: ListedSection {
  public static let keys = SectionKeys(
    [
      "id", "name", "parent", "state", "thread", "priority", "isCancelled", "awaits", "unmovedFor", "isStuck", "alike",
      "framesOf", "frames", "context",
    ],
    holding: [
      "context": .section(CrashReport.Context.self),
      "awaits": .section(CrashReport.LiveTask.Awaited.self), "frames": .list(.section(CrashReport.Frame.self)),
    ])
}

extension CrashReport.LiveTask.Awaited: ListedSection {
  public static let keys = SectionKeys(["kind", "id", "address"])
}

extension CrashReport.HeldLock: ListedSection {
  public static let keys = SectionKeys(
    ["address", "type", "mode", "owner", "name", "takenAt", "waitsAt"],
    holding: ["takenAt": .list(.section(CrashReport.Frame.self)), "waitsAt": .list(.section(CrashReport.Frame.self))])
}

extension CrashReport.Deadlock: ListedSection {
  public static let keys = SectionKeys(
    ["steps", "others"],
    holding: [
      "steps": .list(.section(CrashReport.Deadlock.Step.self)),
      "others": .list(.section(CrashReport.Deadlock.self)),
    ])
}

extension CrashReport.Deadlock.Step: ListedSection {
  public static let keys = SectionKeys(["thread", "address", "type", "mode", "owner", "name"])
}

extension CrashReport.Frame: ListedSection {
  public static let keys = SectionKeys(
    [
      "kind", "address", "count", "byFramePointer", "symbol", "offset", "description", "image", "inlined", "system",
      "sourceLocation",
    ],
    holding: [
      "symbol": .name, "description": .name, "image": .name,
      "sourceLocation": .section(CrashReport.SourceLocation.self),
    ])
}

extension CrashReport.SourceLocation: ListedSection {
  public static let keys = SectionKeys(["file", "line", "column", "approximate"], holding: ["file": .name])
}

extension CrashReport.Context: ListedSection {
  public static let keys = SectionKeys(
    ["name", "trace", "attributes", "omittedAttributes"],
    holding: ["name": .hidden, "trace": .section(CrashReport.Trace.self), "attributes": .values])
}

extension CrashReport.Trace: ListedSection {
  public static let keys = SectionKeys(["traceId", "spanId"])
}

extension CrashReport.Breadcrumb: ListedSection {
  public static let keys = SectionKeys(
    ["time", "thread", "task", "level", "category", "message", "attributes"],
    holding: ["message": .hidden, "attributes": .values])
}

extension CrashReport.Metric: ListedSection {
  public static let keys = SectionKeys(["name", "value", "unit", "threshold", "state", "updatedAt"])
}

extension CrashReport.Hang: ListedSection {
  public static let keys = SectionKeys(
    [
      "subject", "name", "queue", "thread", "startedAt", "threshold", "duration", "ended", "recovered", "observedFor",
      "threads", "samples", "omittedSamples",
    ],
    holding: [
      "threads": .list(.section(CrashReport.Hang.HungThread.self)),
      "samples": .list(.section(CrashReport.Hang.Sample.self)),
    ])
}

extension CrashReport.Hang.HungThread: ListedSection {
  public static let keys = SectionKeys(["id", "processorTime"])
}

extension CrashReport.Hang.Sample: ListedSection {
  public static let keys = SectionKeys(
    ["time", "after", "capturedBy", "frames"], holding: ["frames": .list(.section(CrashReport.Frame.self))])
}

extension CrashReport.Violation: ListedSection {
  public static let keys = SectionKeys(
    [
      "severity", "code", "message", "thread", "expected", "actual", "function", "sourceLocation", "locks", "edges",
      "stacks",
    ],
    holding: [
      "function": .name, "sourceLocation": .section(CrashReport.SourceLocation.self),
      "locks": .list(.section(CrashReport.Violation.Lock.self)),
      "edges": .list(.section(CrashReport.Violation.Edge.self)),
      "stacks": .list(.section(CrashReport.Violation.LabelledStack.self)),
    ])
}

extension CrashReport.Violation.Lock: ListedSection {
  public static let keys = SectionKeys(
    ["address", "type", "name", "origin"], holding: ["origin": .list(.section(CrashReport.Frame.self))])
}

extension CrashReport.Violation.Edge: ListedSection {
  public static let keys = SectionKeys(
    ["from", "to", "fromMode", "toMode", "thread", "fromFrames", "toFrames", "held"],
    holding: [
      "thread": .section(CrashReport.Violation.Participant.self), "fromFrames": .list(.section(CrashReport.Frame.self)),
      "toFrames": .list(.section(CrashReport.Frame.self)), "held": .list(.text),
    ])
}

extension CrashReport.Violation.Participant: ListedSection {
  public static let keys = SectionKeys(["id", "name"])
}

extension CrashReport.Violation.LabelledStack: ListedSection {
  public static let keys = SectionKeys(
    ["label", "thread", "frames"],
    holding: [
      "thread": .section(CrashReport.Violation.Participant.self), "frames": .list(.section(CrashReport.Frame.self)),
    ])
}

extension CrashReport.Memory: ListedSection {
  public static let keys = SectionKeys(
    ["resident", "peak", "virtual", "limit", "events", "pressure"],
    holding: [
      "events": .section(CrashReport.Memory.Events.self), "pressure": .section(CrashReport.Memory.Pressure.self),
    ])
}

extension CrashReport.Memory.Events: ListedSection {
  public static let keys = SectionKeys(["high", "max", "oom", "oomKill"])
}

extension CrashReport.Memory.Pressure: ListedSection {
  public static let keys = SectionKeys(["some", "full"])
}

extension CrashReport.Fault: ListedSection {
  public static let keys = SectionKeys(
    ["places", "leftStack", "pointer"],
    holding: [
      "places": .list(.section(CrashReport.Fault.Place.self)), "leftStack": .section(CrashReport.Mapping.self),
      "pointer": .section(CrashReport.Fault.Pointer.self),
    ])
}

extension CrashReport.Fault.Pointer: ListedSection {
  public static let keys = SectionKeys(["register", "value", "offset", "name", "type", "member"])
}

extension CrashReport.Fault.Place: ListedSection {
  public static let keys = SectionKeys(
    ["of", "address", "mapping", "below", "above"],
    holding: [
      "mapping": .section(CrashReport.Mapping.self), "below": .section(CrashReport.Mapping.self),
      "above": .section(CrashReport.Mapping.self),
    ])
}

extension CrashReport.Mapping: ListedSection {
  public static let keys = SectionKeys(["start", "end", "permissions", "path"], holding: ["path": .name])
}

extension CrashReport.Descriptors: ListedSection {
  public static let keys = SectionKeys(
    ["open", "limit", "kinds"], holding: ["kinds": .section(CrashReport.Descriptors.Kinds.self)])
}

extension CrashReport.Descriptors.Kinds: ListedSection {
  public static let keys = SectionKeys([
    "socket", "pipe", "eventpoll", "eventfd", "timerfd", "signalfd", "inotify", "ioUring", "pidfd", "memoryFile",
    "device", "fileSystem", "other",
  ])
}

extension CrashReport.Host: ListedSection {
  public static let keys = SectionKeys([
    "name", "containerId", "pod", "namespace", "unit", "imageTag", "machine", "osName", "osVersion", "kernel", "cores",
    "memory",
  ])
}

extension CrashReport.Capture: ListedSection {
  public static let keys = SectionKeys(
    [
      "version", "unwinder", "captureTime", "writeTime", "stopTime", "threads", "tasks", "unanswered", "unprotected",
      "cutShort",
    ],
    holding: [
      "tasks": .section(CrashReport.TaskSearch.self),
      "unanswered": .list(.section(CrashReport.Note.self)), "unprotected": .list(.text),
      "cutShort": .list(.section(CrashReport.Note.self)),
    ])
}

extension CrashReport.TaskSearch: ListedSection {
  public static let keys = SectionKeys(["none", "foundBy", "count", "searchedBytes", "time", "isCut"])
}

extension CrashReport.Note: ListedSection {
  public static let keys = SectionKeys(["id", "what", "reason"])
}

extension CrashReport.Symbolication: ListedSection {
  public static let keys = SectionKeys(
    ["missingImages", "unverifiedImages"],
    holding: [
      "missingImages": .list(.section(CrashReport.MissingImage.self)),
      "unverifiedImages": .list(.section(CrashReport.UnverifiedImage.self)),
    ])
}

extension CrashReport.MissingImage: ListedSection {
  public static let keys = SectionKeys(
    [
      "name", "buildId", "path", "debugInfo", "foundPath", "foundBuildId", "searched",
    ],
    holding: [
      "name": .name, "buildId": .name, "path": .name, "foundPath": .name, "foundBuildId": .name,
      "searched": .list(.name),
    ])
}

extension CrashReport.UnverifiedImage: ListedSection {
  public static let keys = SectionKeys(
    ["name", "foundPath", "changedSince"], holding: ["name": .name, "foundPath": .name])
}

extension CrashReport.Fingerprint: ListedSection {
  public static let keys = SectionKeys(
    ["value", "class", "functions", "program"], holding: ["functions": .list(.name), "program": .name])
}

extension CrashReport.Test: ListedSection {
  public static let keys = SectionKeys(
    ["framework", "module", "suite", "name", "displayName", "case", "arguments", "location", "foundBy"],
    holding: [
      "name": .name, "arguments": .hidden, "location": .section(CrashReport.SourceLocation.self),
    ])
}
