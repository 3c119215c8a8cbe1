extension CrashReport {
  /// What stands in place of free text that was taken out.
  public static let scrubbedText = "[scrubbed]"

  /// A copy fit for a ticket.
  ///
  /// Only keys that are known to hold nothing private are kept, so nothing unknown slips through. Arguments, environment
  /// and captured memory are gone; of the registers the program counter and stack pointer are left; texts of
  /// breadcrumbs and the values of attributes are replaced, their keys kept; names of users in paths are replaced.
  /// `message` is kept, for it is what the ticket is about, but without credentials, and so are `cause` and `description`.
  public func scrubbed() -> CrashReport {
    var report = keeping(Self.keptKeys)
    report.process = process?.keeping(["pid", "name", "startedAt", "uptime"])
    report.signal = signal?.keeping(["number", "name", "code", "codeName", "pid", "uid"])
    report.application = application?.keeping(["name", "version", "build"])
    report.images = images?.map { $0.keeping(["name", "buildId", "path", "baseAddress", "endOfText"]) }
    report.threads = threads?.map { $0.scrubbed() }
    report.breadcrumbs = breadcrumbs?.map { $0.scrubbed() }
    report.attributes = attributes?.withValuesScrubbed
    report.metrics = metrics?.map { $0.keeping(["name", "value", "unit", "threshold", "state", "updatedAt"]) }
    report.hang = hang?.scrubbed()
    report.violation = violation?.scrubbed()
    report.memory = memory?.keeping(["resident", "peak", "virtual", "limit"])
    report.host = host?.keeping(["machine", "osName", "osVersion", "kernel", "cores", "memory"])
    report.ending = ending?.keeping([
      "classification", "evidence", "lastAlive", "instance", "status", "unfinishedReport",
    ])
    report.capture = capture?.keeping([
      "version", "unwinder", "captureTime", "writeTime", "threads", "unanswered", "unprotected", "cutShort",
    ])
    report.message = message?.withoutCredentials
    report.cause = cause?.withoutCredentials
    report.description = description?.withoutCredentials
    report.fields = report.fields.withUsersScrubbed
    return report
  }

  private static let keptKeys: Set<String> = [
    "schema", "timestamp", "kind", "description", "signal", "faultAddress", "cause", "causeCode", "message", "ending",
    "platform",
    "architecture", "process", "application", "images", "omittedImages", "threads", "omittedThreads", "breadcrumbs",
    "omittedBreadcrumbs", "attributes", "metrics", "hang", "violation", "memory", "host", "capture", "symbolication",
    "fingerprint",
    "backtraceTime",
  ]
}

extension ReportSection {
  fileprivate func keeping(_ keys: Set<String>) -> Self {
    Self(fields: JSONObject(members: fields.members.filter { keys.contains($0.key) }))
  }
}

extension CrashReport.Thread {
  fileprivate func scrubbed() -> Self {
    var thread = keeping([
      "id", "name", "belongsTo", "crashed", "violating", "state", "capturedBy", "unwoundBy", "stackEnd", "registers",
      "frames", "task", "heldLocks", "waitingFor",
    ])
    let pointers: Set = ["rip", "rsp", "pc", "sp"]
    thread.registers = registers.map { JSONObject(members: $0.members.filter { pointers.contains($0.key) }) }
    thread.task = task?.keeping(["id", "name", "parent"])
    thread.task?.parent = task?.parent?.keeping(["id", "name"])
    thread.frames = frames?.map { $0.scrubbed() }
    thread.heldLocks = heldLocks?.map { $0.scrubbed() }
    thread.waitingFor = waitingFor?.scrubbed()
    return thread.mappingPlacesOfLocks { $0.map { $0.scrubbed() } }
  }
}

extension CrashReport.HeldLock {
  fileprivate func scrubbed() -> Self { keeping(["address", "type", "mode", "name", "takenAt", "waitsAt"]) }
}

extension CrashReport.Frame {
  fileprivate func scrubbed() -> Self {
    keeping([
      "kind", "address", "count", "byFramePointer", "symbol", "offset", "description", "image", "inlined", "system",
      "sourceLocation",
    ])
  }
}

extension CrashReport.Hang {
  fileprivate func scrubbed() -> Self {
    var hang = keeping([
      "queue", "thread", "startedAt", "threshold", "duration", "ended", "recovered", "samples", "omittedSamples",
    ])
    hang.samples = samples?.map { sample in
      var sample = sample.keeping(["time", "after", "frames"])
      sample.frames = sample.frames?.map { $0.scrubbed() }
      return sample
    }
    return hang
  }
}

extension CrashReport.Violation {
  fileprivate func scrubbed() -> Self {
    var violation = keeping([
      "severity", "code", "message", "thread", "expected", "actual", "function", "sourceLocation", "locks", "edges",
      "stacks",
    ])
    violation.message = message?.withoutCredentials
    violation.locks = locks?.map { $0.keeping(["address", "type", "name", "origin"]) }
    violation.edges = edges?.map { edge in
      var kept = edge.keeping(["from", "to", "fromMode", "toMode", "thread", "fromFrames", "toFrames", "held"])
      kept.thread = edge.thread?.keeping(["id", "name"])
      return kept
    }
    violation.stacks = stacks?.map { stack in
      var kept = stack.keeping(["label", "thread", "frames"])
      kept.thread = stack.thread?.keeping(["id", "name"])
      return kept
    }
    return violation.mappingStacks { $0.map { $0.scrubbed() } }
  }
}

extension CrashReport.Breadcrumb {
  fileprivate func scrubbed() -> Self {
    var breadcrumb = keeping(["time", "thread", "level", "category", "message", "attributes"])
    if breadcrumb.message != nil { breadcrumb.message = CrashReport.scrubbedText }
    breadcrumb.attributes = attributes?.withValuesScrubbed
    return breadcrumb
  }
}

extension JSONObject {
  fileprivate var withValuesScrubbed: JSONObject {
    JSONObject(members: members.map { Member(key: $0.key, value: .string(CrashReport.scrubbedText)) })
  }

  fileprivate var withUsersScrubbed: JSONObject {
    JSONObject(members: members.map { Member(key: $0.key, value: $0.value.withUsersScrubbed) })
  }
}

extension JSONValue {
  /// The value with the names of users in paths replaced.
  fileprivate var withUsersScrubbed: JSONValue {
    switch self {
    case .string(let text): .string(text.withUsersScrubbed)
    case .array(let elements): .array(elements.map(\.withUsersScrubbed))
    case .object(let object): .object(object.withUsersScrubbed)
    default: self
    }
  }
}

extension String {
  fileprivate var withUsersScrubbed: String {
    guard contains("/") else { return self }
    var parts = split(separator: "/", omittingEmptySubsequences: false)
    for index in parts.indices.dropLast() where parts[index].hasSuffix("home") || parts[index].hasSuffix("Users") {
      if !parts[index + 1].isEmpty { parts[index + 1] = "[user]" }
    }
    return parts.joined(separator: "/")
  }
}
