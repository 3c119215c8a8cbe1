import CrashReportModel
import CrashReportView

/// A report as an event of Sentry.
struct SentryEvent {
  /// How much of the report the event has. An event has 1 MiB at most; the attachment has the rest.
  private struct Size {
    var threads: Int
    var frames: Int
    var breadcrumbs: Int
    var hasAllImages: Bool
    /// The longest text, in bytes.
    var text: Int
  }

  private static let sizes = [
    Size(threads: 2000, frames: SentryStack.mostFrames, breadcrumbs: 1000, hasAllImages: true, text: 8192),
    Size(threads: 1000, frames: 60, breadcrumbs: 200, hasAllImages: false, text: 2048),
    Size(threads: 256, frames: 40, breadcrumbs: 100, hasAllImages: false, text: 1024),
    Size(threads: 64, frames: 30, breadcrumbs: 50, hasAllImages: false, text: 512),
    Size(threads: 1, frames: 30, breadcrumbs: 10, hasAllImages: false, text: 256),
  ]
  /// A little less than 1 MiB.
  private static let mostBytes = 1_000_000
  private static let mostSmallBytes = 200_000
  private static let leastBytesOfFrame = 40
  private static let mostTags = 100
  /// Of an object that the program made.
  private static let mostMembers = 100

  private let report: CrashReport
  private let id: EventID
  private let environment: String?
  private let stack: SentryStack
  private let threads: [CrashReport.Thread]
  /// The thread that the report is about, by its place.
  private let subjectIndex: Int?

  init(_ report: CrashReport, _ id: EventID, environment: String?) {
    self.report = report
    self.id = id
    self.environment = environment
    stack = SentryStack(report)
    threads = report.threads ?? []
    subjectIndex = report.subject?.index ?? threads.firstIndex { $0 == report.aboutThread }
  }

  private var subject: CrashReport.Thread? { subjectIndex.map { threads[$0] } }

  /// The event as JSON, cut until it fits.
  func bytes(isSmall: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    let limit = isSmall ? Self.mostSmallBytes : Self.mostBytes
    let frames = threads.map { $0.frames?.count ?? 0 }
    // What is too large for certain is not written first: a report may have half a million frames.
    let sizes = Self.sizes.filter { size in
      frames.prefix(size.threads).reduce(0) { $0 + min($1, size.frames) } * Self.leastBytesOfFrame <= limit
    }
    for size in sizes.isEmpty ? Self.sizes.suffix(1) : sizes {
      bytes = json(size).json.cut(texts: size.text, members: Self.mostMembers).utf8
      if bytes.count <= limit { break }
    }
    return bytes
  }

  /// An event that counts others. It has their fingerprint, so it is part of their issue.
  static func count(_ count: LoopCount, _ id: EventID, environment: String?) -> JSONObject {
    var message = JSONObject()
    message["formatted"] = SentryText.text(count.sentence, atMost: 8000).json
    var tags = JSONObject()
    tags["crashkit.count"] = String(count.count).json
    tags["crashkit.like"] = count.sent?.text.json
    var event = head(id, count.minute, environment, SentryText.release(count.application))
    event["level"] = "fatal".json
    event["fingerprint"] = ["crashkit", count.fingerprint].json
    event["logentry"] = message.json
    event["tags"] = tags.json
    return event
  }

  private static func head(
    _ id: EventID, _ time: Timestamp?, _ environment: String?, _ release: String?
  ) -> JSONObject {
    var event = JSONObject()
    event["event_id"] = id.text.json
    event["platform"] = "native".json
    // In UTC, whatever the offset of the report's own spelling.
    event["timestamp"] = time.map { Timestamp(microsecondsSince1970: $0.microseconds).json }
    event["release"] = release?.json
    event["environment"] = environment.flatMap(SentryText.environment)?.json
    return event
  }

  // MARK: The event

  private func json(_ size: Size) -> JSONObject {
    var event = Self.head(id, report.timestamp, environment, SentryText.release(report.application))
    event["level"] = level.json
    event["fingerprint"] = report.fingerprint?.value.map { ["crashkit", $0].json }
    event["server_name"] = report.hostName.flatMap(SentryText.tagValue)?.json
    event["exception"] = values([exception(size)])
    let threads = threads(size)
    event["threads"] = threads.isEmpty ? nil : values(threads)
    var debug = JSONObject()
    let images = size.hasAllImages ? stack.allImages : stack.images(holding: addresses(size))
    debug["images"] = images.json
    event["debug_meta"] = images.isEmpty ? nil : debug.json
    let breadcrumbs = (report.breadcrumbs ?? []).suffix(size.breadcrumbs).map(breadcrumb)
    event["breadcrumbs"] = breadcrumbs.isEmpty ? nil : values(Array(breadcrumbs))
    event["tags"] = tags.json
    event["contexts"] = contexts.json
    return event
  }

  private func values(_ list: [JSONObject]) -> JSONValue {
    var object = JSONObject()
    object["values"] = list.json
    return object.json
  }

  private var level: String {
    if report.isFatal { return "fatal" }
    switch report.severity {
    case .note: return "info"
    case .warning: return "warning"
    case .error: return "error"
    }
  }

  // MARK: The fault

  private func exception(_ size: Size) -> JSONObject {
    var exception = JSONObject()
    exception["type"] = SentryText.line(report.faultName, atMost: 128).json
    exception["value"] = SentryText.text(report.faultText, atMost: 8000).json
    exception["thread_id"] = subject?.id?.json
    exception["stacktrace"] = stack.json(of: report.shownFrames, atMost: size.frames)?.json
    exception["mechanism"] = mechanism.json
    return exception
  }

  private var mechanism: JSONObject {
    var mechanism = JSONObject()
    let isCrash = report.signal != nil
    mechanism["type"] = (isCrash ? "signalhandler" : "crashkit").json
    mechanism["handled"] = (!report.isFatal).json
    // The type is a signal's name or a kind, which would group all of its faults together.
    mechanism["synthetic"] = true.json
    guard let signal = report.signal else { return mechanism }
    var values = JSONObject()
    values["number"] = signal.number?.json
    values["name"] = signal.name?.json
    values["code"] = signal.code?.json
    values["code_name"] = signal.codeName?.json
    var meta = JSONObject()
    meta["signal"] = values.json
    mechanism["meta"] = meta.json
    return mechanism
  }

  // MARK: Threads

  private func threads(_ size: Size) -> [JSONObject] {
    // That which the report is about stands first, then those that hold or wait for a lock.
    let others = threads.indices.filter { $0 != subjectIndex }
    let locked = others.filter { hasLocks(threads[$0]) }
    let free = others.filter { !hasLocks(threads[$0]) }
    return ((subjectIndex.map { [$0] } ?? []) + locked + free).prefix(size.threads).map {
      json(of: threads[$0], at: $0, size)
    }
  }

  private func hasLocks(_ thread: CrashReport.Thread) -> Bool {
    !(thread.heldLocks ?? []).isEmpty || thread.waitingFor?.owner != nil
  }

  private func json(of thread: CrashReport.Thread, at index: Int, _ size: Size) -> JSONObject {
    var object = JSONObject()
    // Logs of the Swift runtime have no ids.
    object["id"] = (thread.id ?? index).json
    object["name"] = thread.name.map { SentryText.line($0, atMost: 200).json }
    object["crashed"] = (thread.crashed == true).json
    object["current"] = (index == subjectIndex).json
    object["main"] = thread.id.map { ($0 == report.process?.pid).json }
    object["state"] = thread.state?.json
    let locks = locks(of: thread)
    object["held_locks"] = locks.isEmpty ? nil : locks.json
    // The exception has that of the thread that the report is about.
    let hasException = index == subjectIndex && report.shownFrames == thread.frames
    object["stacktrace"] = hasException ? nil : stack.json(of: thread.frames, atMost: size.frames)?.json
    return object
  }

  /// What the thread holds, and what it waits for, by their addresses.
  private func locks(of thread: CrashReport.Thread) -> JSONObject {
    var locks = JSONObject()
    for lock in thread.heldLocks ?? [] { add(lock, .locked, holder: thread.id, to: &locks) }
    if let lock = thread.waitingFor {
      let isEvent = lock.type == "condition" || lock.type == "semaphore"
      add(lock, isEvent ? .waiting : .blocked, holder: lock.owner ?? owner(of: lock, for: thread), to: &locks)
    }
    return locks
  }

  /// A circle says who has a lock, even if the lock does not.
  private func owner(of lock: CrashReport.HeldLock, for thread: CrashReport.Thread) -> Int? {
    let steps = report.deadlock?.circles.lazy.flatMap { $0.steps ?? [] }
    return steps?.first { $0.thread == thread.id && $0.address == lock.address }?.owner
  }

  /// What a thread does with a lock.
  private enum LockUse: Int {
    case locked = 1
    case waiting = 2
    case blocked = 8
  }

  private func add(_ lock: CrashReport.HeldLock, _ use: LockUse, holder: Int?, to locks: inout JSONObject) {
    guard let address = lock.address?.description else { return }
    var object = JSONObject()
    object["type"] = use.rawValue.json
    object["address"] = address.json
    let words = [lock.type, lock.name.map { "\"\($0)\"" }].compactMap(\.self).joined(separator: " ")
    object["class_name"] = words.isEmpty ? nil : SentryText.line(words, atMost: 200).json
    object["thread_id"] = holder?.json
    locks[address] = object.json
  }

  private func addresses(_ size: Size) -> [UInt64] {
    let stacks = [report.shownFrames ?? []] + threads.prefix(size.threads).map { $0.frames ?? [] }
    return stacks.joined().compactMap { $0.address?.value }
  }

  // MARK: What surrounds it

  private func breadcrumb(_ breadcrumb: CrashReport.Breadcrumb) -> JSONObject {
    var object = JSONObject()
    object["timestamp"] = breadcrumb.time.map { Timestamp(microsecondsSince1970: $0.microseconds).json }
    object["type"] = "default".json
    object["level"] = Self.level(ofBreadcrumb: breadcrumb.level).json
    object["category"] = breadcrumb.category.map { SentryText.line($0, atMost: 200).json }
    object["message"] = breadcrumb.message.map { SentryText.text($0, atMost: 4000).json }
    var data = breadcrumb.attributes ?? JSONObject()
    data["thread"] = breadcrumb.thread?.json
    data["task"] = breadcrumb.task?.json
    object["data"] = data.isEmpty ? nil : data.json
    return object
  }

  private static func level(ofBreadcrumb level: String?) -> String {
    switch level {
    case "trace", "debug": "debug"
    case "warning": "warning"
    case "error": "error"
    case "critical", "fatal": "fatal"
    default: "info"
    }
  }

  /// What is searched: the program's attributes and those of the context.
  private var tags: JSONObject {
    var tags = JSONObject()
    func add(_ name: String, _ value: String?) {
      guard tags.members.count < Self.mostTags, let value else { return }
      tags[SentryText.tagName(name)] = value.json
    }
    add("kind", report.kind?.rawValue)
    add("signal", report.signal?.name.flatMap(SentryText.tagValue))
    add("cause", report.fields["causeCode"].flatMap(SentryText.plain))
    add("test", report.test.flatMap { SentryText.tagValue($0.words) })
    let ofContext = (report.subjectContext?.attributes ?? JSONObject()).members
    for member in ofContext + (report.attributes ?? JSONObject()).members where !member.key.isEmpty {
      add(member.key, SentryText.plain(member.value))
    }
    return tags
  }

  private var contexts: JSONObject {
    var contexts = JSONObject()
    func add(_ name: String, _ pairs: KeyValuePairs<String, JSONValue?>) {
      var object = JSONObject()
      for (key, value) in pairs { object[key] = value }
      guard !object.isEmpty else { return }
      object["type"] = name.json
      contexts[name] = object.json
    }
    let (host, process) = (report.host, report.process)
    add(
      "os",
      ["name": host?.osName?.json, "version": host?.osVersion?.json, "kernel_version": host?.kernel?.json])
    add(
      "device",
      [
        "arch": (host?.machine ?? report.architecture)?.json, "processor_count": host?.cores?.json,
        "memory_size": host?.memory?.json,
      ])
    add("runtime", ["name": "Swift".json])
    add(
      "app",
      [
        "app_name": (report.application?.name ?? process?.name)?.json,
        "app_version": report.application?.version?.json, "app_build": report.application?.build?.json,
        "app_start_time": process?.startedAt?.json, "app_memory": report.memory?.resident?.json,
      ])
    if let trace = report.subjectContext?.trace, let traceID = trace.traceId, let spanID = trace.spanId,
      TraceID.isValid(traceID, digits: 32), TraceID.isValid(spanID, digits: 16)
    {
      add("trace", ["trace_id": traceID.json, "span_id": spanID.json])
    }
    add(
      "crashkit",
      [
        "headline": report.headline.json, "cause": report.cause?.json, "context": report.subjectContext?.name?.json,
        "pid": process?.pid?.json, "uptime": process?.uptime?.json,
        "threads": report.threads.map { ($0.count + (report.omittedThreads ?? 0)).json },
        "fault_address": report.faultAddress?.json,
      ])
    return contexts
  }
}
