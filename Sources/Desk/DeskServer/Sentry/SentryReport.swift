#if Desk
  import CrashReportModel

  /// Reads an event of Sentry's protocol as a report: of Python and other languages, or of native code.
  struct SentryReport {
    private static let mostThreads = 2000
    private static let mostBreadcrumbs = 1000
    private static let mostTags = 200
    private static let longestText = 8192

    private let event: JSONObject
    private let project: String
    /// The error that was caught comes last, after the errors that led to it.
    private let exceptions: [JSONObject]
    private let stack: SentryFrames

    init(_ stored: StoredSentryEvent) {
      (event, project) = (stored.event, stored.project)
      exceptions = Self.values(stored.event["exception"])
      stack = SentryFrames(stored.event)
    }

    var report: CrashReport {
      var report = CrashReport()
      report.schema = "crashkit/1"
      report.timestamp = Self.time(event["timestamp"])
      report.signal = signal
      report.kind = ownKind ?? (signal != nil || isNativeCrash ? .crashReport : .error)
      (report.description, report.message) = (description, message)
      report.cause = text(own?["cause"])
      if own != nil { report.fields["causeCode"] = event["tags"].flatMap(JSONObject.init(json:))?["cause"] }
      report.platform = words(context("os"), ["name", "version"])
      report.architecture = stack.architecture ?? text(context("device")?["arch"])
      report.application = application
      report.process = process
      report.host = host
      report.threads = threads
      report.images = stack.images
      report.breadcrumbs = breadcrumbs
      report.attributes = attributes
      return report
    }

    // MARK: What happened

    private var main: JSONObject? { exceptions.last }
    private var mechanism: JSONObject? { main?["mechanism"].flatMap(JSONObject.init(json:)) }

    private var signal: CrashReport.Signal? {
      let meta = mechanism?["meta"].flatMap(JSONObject.init(json:))?["signal"].flatMap(JSONObject.init(json:))
      let type = text(main?["type"])
      guard let name = text(meta?["name"]) ?? (type?.hasPrefix("SIG") == true ? type : nil) else { return nil }
      var signal = CrashReport.Signal()
      signal.name = name
      signal.number = meta?["number"].flatMap(Int.init(json:))
      signal.code = meta?["code"].flatMap(Int.init(json:))
      signal.codeName = text(meta?["code_name"])
      return signal
    }

    /// Another system has no signal, but says that nothing took care of it.
    private var isNativeCrash: Bool {
      text(event["platform"]) == "native" && mechanism?["handled"].flatMap(Bool.init(json:)) == false
    }

    private var description: String {
      guard let main else { return messageOfEvent.map { "\(template ?? $0): \($0)" } ?? "event" }
      let module = text(main["module"]).map { "\($0)." } ?? ""
      let type = text(main["type"]).map { module + $0 } ?? "exception"
      return text(main["value"]).map { "\(type): \($0)" } ?? type
    }

    /// The errors that led to this one, and what the event says besides.
    private var message: String? {
      let causes = exceptions.dropLast().reversed().map { cause in
        "after \(text(cause["type"]) ?? "exception")" + (text(cause["value"]).map { ": \($0)" } ?? "")
      }
      let said = main == nil ? nil : messageOfEvent
      let lines = [said].compactMap { $0 } + causes
      // A message stands in the place of the description, so it begins with that.
      return lines.isEmpty ? nil : ([description] + lines).joined(separator: "\n")
    }

    private var messageOfEvent: String? {
      let entry = event["logentry"].flatMap(JSONObject.init(json:)) ?? event["message"].flatMap(JSONObject.init(json:))
      return text(entry?["formatted"]) ?? text(entry?["message"]) ?? text(event["message"])
    }

    /// The message without what differs from event to event: it is in the place of an error's type.
    private var template: String? {
      let entry = event["logentry"].flatMap(JSONObject.init(json:)) ?? event["message"].flatMap(JSONObject.init(json:))
      return (text(entry?["message"]) ?? text(event["message"])).map { $0.replacing(": ", with: ", ") }
    }

    /// The data that `crashsym send --to sentry` adds to Sentry's own fields.
    private var own: JSONObject? { context("crashkit") }

    private var ownKind: CrashReport.Kind? {
      guard own != nil else { return nil }
      return event["tags"].flatMap(JSONObject.init(json:))?["kind"].flatMap(CrashReport.Kind.init(json:))
    }

    // MARK: Threads

    private var threads: [CrashReport.Thread] {
      let listed = Self.values(event["threads"])
      let id = main?["thread_id"]
      let index =
        listed.firstIndex { id != nil && $0["id"] == id }
        ?? listed.firstIndex { $0["crashed"] == .bool(true) } ?? listed.firstIndex { $0["current"] == .bool(true) }
      var subject = thread(index.map { listed[$0] } ?? JSONObject())
      if let frames = stack.frames(main?["stacktrace"]) { subject.frames = frames }
      subject.frames = subject.frames ?? stack.frames(event["stacktrace"]) ?? []
      subject.crashed = signal != nil || isNativeCrash ? true : nil
      let others = listed.indices.filter { $0 != index }.prefix(Self.mostThreads).map { thread(listed[$0]) }
      return [subject] + others
    }

    private func thread(_ object: JSONObject) -> CrashReport.Thread {
      var thread = CrashReport.Thread()
      thread.id = object["id"].flatMap(Int.init(json:))
      thread.name = text(object["name"])
      thread.state = text(object["state"])
      thread.frames = stack.frames(object["stacktrace"])
      return thread
    }

    // MARK: Where it ran

    /// `name@version+build`, or a version alone.
    private var application: CrashReport.Application? {
      var application = CrashReport.Application()
      let release = text(event["release"]) ?? ""
      let parts = release.split(separator: "@", maxSplits: 1).map(String.init)
      let version = parts.last?.split(separator: "+", maxSplits: 1).map(String.init) ?? []
      application.name = parts.count == 2 ? parts[0] : text(context("app")?["app_name"]) ?? project
      application.version = version.first
      application.build = version.count == 2 ? version[1] : text(event["dist"])
      return application
    }

    private var process: CrashReport.Process? {
      guard let name = text(context("app")?["app_name"]) else { return nil }
      var process = CrashReport.Process()
      process.name = name
      process.pid = own?["pid"].flatMap(Int.init(json:))
      return process
    }

    private var host: CrashReport.Host? {
      guard let name = text(event["server_name"]) else { return nil }
      var host = CrashReport.Host()
      host.name = name
      return host
    }

    private var breadcrumbs: [CrashReport.Breadcrumb]? {
      let list = Self.values(event["breadcrumbs"]).suffix(Self.mostBreadcrumbs)
      return list.isEmpty
        ? nil
        : list.map { object in
          var breadcrumb = CrashReport.Breadcrumb()
          breadcrumb.time = Self.time(object["timestamp"])
          breadcrumb.level = text(object["level"])
          breadcrumb.category = text(object["category"])
          breadcrumb.message = text(object["message"])
          breadcrumb.attributes = object["data"].flatMap(JSONObject.init(json:))
          return breadcrumb
        }
    }

    private var attributes: JSONObject {
      var attributes = JSONObject()
      attributes["project"] = project.json
      for key in ["environment", "level", "logger", "transaction"] { attributes[key] = text(event[key])?.json }
      attributes["runtime"] = words(context("runtime"), ["name", "version"])?.json
      for (key, value) in tags.prefix(Self.mostTags) { attributes[key] = value.json }
      return attributes
    }

    /// An object, or a list of pairs.
    private var tags: [(String, String)] {
      let pairs: [(String?, JSONValue?)]
      switch event["tags"] {
      case .object(let object): pairs = object.members.map { ($0.key, $0.value) }
      case .array(let list):
        pairs = list.map { pair in
          guard case .array(let parts) = pair, parts.count == 2 else { return (nil, nil) }
          return (String(json: parts[0]), parts[1])
        }
      default: pairs = []
      }
      return pairs.compactMap { key, value in
        guard let key, !key.isEmpty, let value = text(value) ?? value?.text, value != "null" else { return nil }
        return (key, value)
      }
    }

    // MARK: Values

    private func context(_ name: String) -> JSONObject? {
      event["contexts"].flatMap(JSONObject.init(json:))?[name].flatMap(JSONObject.init(json:))
    }

    private func words(_ object: JSONObject?, _ keys: [String]) -> String? {
      let words = keys.compactMap { text(object?[$0]) }
      return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private func text(_ value: JSONValue?) -> String? { Self.text(value) }

    /// A text that says something.
    static func text(_ value: JSONValue?) -> String? {
      guard let text = value.flatMap(String.init(json:)), !text.isEmpty else { return nil }
      return String(text.prefix(longestText))
    }

    /// `{"values":[…]}`, or the list itself.
    private static func values(_ value: JSONValue?) -> [JSONObject] {
      let list = value.flatMap(JSONObject.init(json:))?["values"] ?? value
      return list.flatMap([JSONObject].init(json:)) ?? []
    }

    /// Seconds since 1970, or RFC 3339, of which the offset may be missing: then it is UTC.
    private static func time(_ value: JSONValue?) -> Timestamp? {
      guard let value else { return nil }
      if let text = String(json: value) { return Timestamp(text) ?? Timestamp(text + "Z") }
      guard let seconds = Double(json: value), abs(seconds) < 1e11 else { return nil }
      return Timestamp(microsecondsSince1970: Int64((seconds * 1e6).rounded()))
    }
  }
#endif
