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
    var report = kept()
    report.process = process?.kept()
    report.signal = signal?.kept()
    report.application = application?.kept()
    report.images = images?.map { $0.kept() }
    report.threads = threads?.map { $0.scrubbed() }
    report.breadcrumbs = breadcrumbs?.map { $0.scrubbed() }
    report.attributes = attributes?.withValuesScrubbed
    report.metrics = metrics?.map { $0.kept() }
    report.hang = hang?.scrubbed()
    report.violation = violation?.scrubbed()
    report.memory = memory?.kept()
    report.host = host?.kept()
    report.ending = ending?.kept()
    report.capture = capture?.scrubbed()
    report.symbolication = symbolication?.scrubbed()
    report.fingerprint = fingerprint?.kept()
    report.message = message?.withoutCredentials
    report.cause = cause?.withoutCredentials
    report.description = description?.withoutCredentials
    report = report.mappingStacks { $0.map { $0.scrubbed() } }
    report.fields = report.fields.withUsersScrubbed
    return report
  }
}

extension ListedSection {
  /// The section with the keys that a ticket may have.
  fileprivate func kept() -> Self {
    Self(fields: JSONObject(members: fields.members.filter { Self.keys.kept.contains($0.key) }))
  }
}

extension CrashReport.Thread {
  fileprivate func scrubbed() -> Self {
    var thread = kept()
    let pointers: Set = ["rip", "rsp", "pc", "sp"]
    thread.registers = registers.map { JSONObject(members: $0.members.filter { pointers.contains($0.key) }) }
    thread.signal = signal?.kept()
    thread.task = task?.kept()
    thread.task?.parent = task?.parent.map { parent in
      var parent = parent.kept()
      parent.parent = nil
      return parent
    }
    thread.heldLocks = heldLocks?.map { $0.kept() }
    thread.waitingFor = waitingFor?.kept()
    return thread
  }
}

extension CrashReport.Frame {
  fileprivate func scrubbed() -> Self {
    var frame = kept()
    frame.sourceLocation = sourceLocation?.kept()
    return frame
  }
}

extension CrashReport.Hang {
  fileprivate func scrubbed() -> Self {
    var hang = kept()
    hang.samples = samples?.map { $0.kept() }
    return hang
  }
}

extension CrashReport.Capture {
  fileprivate func scrubbed() -> Self {
    var capture = kept()
    capture.unanswered = unanswered?.map { $0.kept() }
    capture.cutShort = cutShort?.map { $0.kept() }
    return capture
  }
}

extension CrashReport.Symbolication {
  fileprivate func scrubbed() -> Self {
    var symbolication = kept()
    symbolication.missingImages = missingImages?.map { $0.kept() }
    symbolication.unverifiedImages = unverifiedImages?.map { $0.kept() }
    return symbolication
  }
}

extension CrashReport.Violation {
  fileprivate func scrubbed() -> Self {
    var violation = kept()
    violation.message = message?.withoutCredentials
    violation.sourceLocation = sourceLocation?.kept()
    violation.locks = locks?.map { $0.kept() }
    violation.edges = edges?.map { edge in
      var kept = edge.kept()
      kept.thread = edge.thread?.kept()
      return kept
    }
    violation.stacks = stacks?.map { stack in
      var kept = stack.kept()
      kept.thread = stack.thread?.kept()
      return kept
    }
    return violation
  }
}

extension CrashReport.Breadcrumb {
  fileprivate func scrubbed() -> Self {
    var breadcrumb = kept()
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
