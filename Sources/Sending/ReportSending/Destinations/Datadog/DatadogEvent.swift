import CrashReportModel
import CrashReportView

/// A report in the shape of Datadog's errors intake (libdatadog's RFC 0013, which takes stacks from its RFC 0011).
struct DatadogEvent {
  /// The three names that Datadog tags everything with, as far as the environment has them.
  struct Unified: Sendable, Hashable {
    var service: String?
    var environment: String?
    var version: String?
  }

  /// How much of the report the event has.
  private struct Size {
    var threads: Int
    var frames: Int
    /// The longest text, in bytes.
    var text: Int
  }

  private static let sizes = [
    Size(threads: 2000, frames: 512, text: 8192), Size(threads: 1000, frames: 60, text: 2048),
    Size(threads: 256, frames: 40, text: 1024), Size(threads: 64, frames: 30, text: 512),
    Size(threads: 0, frames: 200, text: 512),
    Size(threads: 0, frames: 20, text: 200),
  ]
  /// A little less than 1 MB.
  private static let mostBytes = 1_000_000
  private static let mostSmallBytes = 100_000
  private static let leastBytesOfFrame = 20
  private static let dataSchema = "1.8"

  private let report: CrashReport
  private let id: EventID
  private let unified: Unified
  private let stack: DatadogStack
  private let subject: CrashReport.Thread?

  init(_ report: CrashReport, _ id: EventID, _ unified: Unified) {
    self.report = report
    self.id = id
    self.unified = unified
    stack = DatadogStack(report)
    subject = report.subject?.thread ?? report.aboutThread
  }

  /// The event as JSON, cut until it fits.
  func bytes(now: Timestamp, isSmall: Bool) -> [UInt8] {
    let limit = isSmall ? Self.mostSmallBytes : Self.mostBytes
    let frames = (report.threads ?? []).map { $0.frames?.count ?? 0 }
    // What is too large for certain is not written first.
    let sizes = Self.sizes.filter { size in
      frames.prefix(size.threads).reduce(0) { $0 + min($1, size.frames) } * Self.leastBytesOfFrame <= limit
    }
    var bytes: [UInt8] = []
    for size in sizes {
      bytes = json(size, now).utf8
      if bytes.count <= limit { break }
    }
    return bytes
  }

  private func json(_ size: Size, _ now: Timestamp) -> JSONValue {
    var error = JSONObject()
    error["type"] = SentryText.line(report.faultName, atMost: 128).json
    error["message"] = SentryText.text(report.faultText, atMost: size.text).json
    let thread = subject?.name.map { SentryText.line($0, atMost: 200) }
    error["thread_name"] = thread?.json
    error["stack"] = stack.json(of: report.shownFrames, atMost: size.frames, text: size.text)?.json
    error["threads"] = size.threads == 0 ? nil : threads(size).json
    error["is_crash"] = report.isFatal.json
    error["fingerprint"] = report.fingerprint?.value?.json
    error["source_type"] = "Crashtracking".json
    var event = Self.head(report.timestamp ?? now, tags.text, error)
    event["os_info"] = systemInfo.json
    event["sig_info"] = signalInfo?.json
    if let trace = report.subjectContext?.trace?.traceId, TraceID.isValid(trace, digits: 32) {
      event["trace_id"] = trace.json
    }
    return event.json
  }

  private static func head(_ time: Timestamp, _ tags: String, _ error: JSONObject) -> JSONObject {
    var event = JSONObject()
    event["timestamp"] = Int(max(0, time.microseconds) / 1000).json
    event["ddsource"] = "crashtracker".json
    event["ddtags"] = tags.json
    event["error"] = error.json
    return event
  }

  /// An error that counts others. It has their fingerprint.
  static func count(_ count: LoopCount, _ id: EventID, _ unified: Unified) -> JSONObject {
    var error = JSONObject()
    error["type"] = "CrashLoop".json
    error["message"] = SentryText.text(count.sentence, atMost: 8000).json
    error["is_crash"] = true.json
    error["fingerprint"] = count.fingerprint.json
    error["source_type"] = "Crashtracking".json
    var tags = tags(unified, count.application, process: nil)
    tags.add("fingerprint", count.fingerprint)
    tags.add("is_crash", "true")
    tags.add("uuid", id.uuid)
    tags.add("crashkit.count", String(count.count))
    tags.add("crashkit.like", count.sent?.uuid)
    var event = head(count.minute, tags.text, error)
    var system = JSONObject()
    // Each is required, and a count knows of no host.
    for key in ["architecture", "bitness", "version"] { system[key] = "unknown".json }
    system["os_type"] = "Linux".json
    event["os_info"] = system.json
    return event
  }

  // MARK: Threads

  /// All threads but that of the stack, those that hold or wait for a lock first.
  private func threads(_ size: Size) -> [JSONObject] {
    let others = (report.threads ?? []).filter { $0 != subject }
    let locked = others.filter { !($0.heldLocks ?? []).isEmpty || $0.waitingFor?.owner != nil }
    let free = others.filter { ($0.heldLocks ?? []).isEmpty && $0.waitingFor?.owner == nil }
    return (locked + free).prefix(size.threads).map { thread in
      var object = JSONObject()
      object["crashed"] = (thread.crashed == true).json
      let name = thread.name.map { SentryText.line($0, atMost: 200) } ?? ""
      object["name"] = (name.isEmpty ? thread.id.map { "thread \($0)" } ?? "thread" : name).json
      object["stack"] = (stack.json(of: thread.frames, atMost: size.frames, text: size.text) ?? stack.missing).json
      object["state"] = thread.state.map { SentryText.line($0, atMost: 64).json }
      return object
    }
  }

  // MARK: What surrounds it

  private var systemInfo: JSONObject {
    var object = JSONObject()
    let host = report.host
    func known(_ text: String?) -> JSONValue { (text.flatMap(SentryText.tagValue) ?? "unknown").json }
    object["architecture"] = known(host?.machine ?? report.architecture)
    object["bitness"] = "64-bit".json
    object["os_type"] = "Linux".json
    object["version"] = known(host?.kernel ?? host?.osVersion)
    return object
  }

  private var signalInfo: JSONObject? {
    guard let signal = report.signal, let number = signal.number else { return nil }
    var object = JSONObject()
    object["si_addr"] = report.faultAddress?.json
    object["si_code"] = (signal.code ?? 0).json
    object["si_code_human_readable"] = DatadogSignals.code(signal.codeName).json
    object["si_signo"] = number.json
    object["si_signo_human_readable"] = DatadogSignals.name(signal.name).json
    return object
  }

  private static func tags(
    _ unified: Unified, _ application: CrashReport.Application?, process: String?
  ) -> DatadogTags {
    var tags = DatadogTags()
    tags.add("service", unified.service ?? application?.name ?? process ?? "unknown")
    tags.add("env", unified.environment)
    tags.add("version", unified.version ?? application?.version)
    tags.add("language_name", "swift")
    tags.add("data_schema_version", Self.dataSchema)
    return tags
  }

  /// What is searched. The program's own attributes come last and cannot take the name of another.
  private var tags: DatadogTags {
    var tags = Self.tags(unified, report.application, process: report.process?.name)
    tags.add("fingerprint", report.fingerprint?.value)
    tags.add("incomplete", report.capture?.cutShort == nil ? "false" : "true")
    tags.add("is_crash", report.isFatal ? "true" : "false")
    tags.add("uuid", id.uuid)
    if let info = signalInfo {
      for key in ["si_addr", "si_code", "si_code_human_readable", "si_signo", "si_signo_human_readable"] {
        tags.add(key, info[key].flatMap(SentryText.plain))
      }
    }
    tags.add("host", report.hostName)
    tags.add("kind", report.kind?.rawValue)
    tags.add("cause", report.fields["causeCode"].flatMap(SentryText.plain))
    let ofContext = (report.subjectContext?.attributes ?? JSONObject()).members
    for member in ofContext + (report.attributes ?? JSONObject()).members {
      tags.add(member.key, SentryText.plain(member.value))
    }
    return tags
  }
}

/// `name:value` pairs with commas between. No text of a program can add a pair of its own.
struct DatadogTags {
  private static let most = 100
  private static let marks = "_-./".unicodeScalars

  private(set) var text = ""
  private var names: Set<String> = []

  mutating func add(_ name: String, _ value: String?) {
    guard let value = value.map({ Self.plain($0, alsoMarks: ":") }), !value.isEmpty, names.count < Self.most else {
      return
    }
    let name = Self.plain(name, alsoMarks: "")
    guard !name.isEmpty, names.insert(name.lowercased()).inserted else { return }
    text += (text.isEmpty ? "" : ",") + "\(name):\(value)"
  }

  /// What Datadog keeps of a tag: letters, digits and a few marks, at most 200 characters.
  private static func plain(_ text: String, alsoMarks more: String) -> String {
    let scalars = text.unicodeScalars.prefix(200).map { scalar in
      let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      return isPlain || marks.contains(scalar) || more.unicodeScalars.contains(scalar) ? Character(scalar) : "_"
    }
    return String(scalars)
  }
}
