import CrashReportModel
import CrashReportView

/// A name and a value of OpenTelemetry.
struct OTLPAttribute: Sendable, Hashable {
  enum Value: Sendable, Hashable {
    case text(String)
    case number(Int)
    case flag(Bool)
  }

  var name: String
  var value: Value

  init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }
}

/// A log record: an event with attributes that OpenTelemetry's conventions name, and some of our own.
struct OTLPRecord: Sendable {
  /// OpenTelemetry's numbers of severities.
  enum Severity: Int {
    case info = 9
    case warning = 13
    case error = 17
    case fatal = 21

    var text: String { "\(self)".uppercased() }
  }

  private static let mostAttributes = 128
  private static let longestText = 8192
  private static let mostStackLines = 250
  private static let mostStackLinesOfSmall = 20

  let name: String
  let severity: Severity
  /// In microseconds since 1970.
  let time: Int64
  let observed: Int64
  let body: String
  let traceID: String?
  let spanID: String?
  private(set) var attributes: [OTLPAttribute] = []

  init(_ report: CrashReport, _ id: EventID, observed: Timestamp, isSmall: Bool) {
    name = "app.crash"
    severity = Self.severity(of: report)
    time = (report.timestamp ?? observed).microseconds
    self.observed = observed.microseconds
    body = SentryText.text(report.headline, atMost: Self.longestText)
    let trace = report.subjectContext?.trace
    let ids = (trace?.traceId, trace?.spanId)
    if let traceID = ids.0, let spanID = ids.1, TraceID.isValid(traceID, digits: 32),
      TraceID.isValid(spanID, digits: 16)
    {
      (self.traceID, self.spanID) = (traceID, spanID)
    } else {
      (traceID, spanID) = (nil, nil)
    }
    add("exception.type", report.faultName)
    add("exception.message", report.faultText)
    let stack = StackText.lines(of: report.shownFrames)
    let lines = stack.prefix(isSmall ? Self.mostStackLinesOfSmall : Self.mostStackLines).map {
      SentryText.text($0, atMost: 1024)
    }
    if !lines.isEmpty { attributes.append(.init("exception.stacktrace", .text(lines.joined(separator: "\n")))) }
    add("app.crash.id", id.text)
    addPlace(of: report)
    addProcess(of: report)
    add("crashkit.fingerprint", report.fingerprint?.value)
    add("crashkit.kind", report.kind?.rawValue)
    add("crashkit.cause", report.fields["causeCode"].flatMap(SentryText.plain))
    add("crashkit.context", report.subjectContext?.name == CrashReport.scrubbedText ? nil : report.subjectContext?.name)
    addOwn(report.subjectContext?.attributes)
    addOwn(report.attributes)
  }

  init(_ count: LoopCount, _ id: EventID, observed: Timestamp) {
    name = "app.crash"
    severity = .fatal
    time = count.minute.microseconds
    self.observed = observed.microseconds
    body = SentryText.text(count.sentence, atMost: Self.longestText)
    (traceID, spanID) = (nil, nil)
    add("app.crash.id", id.text)
    add("service.version", count.application?.version)
    add("crashkit.fingerprint", count.fingerprint)
    attributes.append(.init("crashkit.count", .number(count.count)))
  }

  private static func severity(of report: CrashReport) -> Severity {
    if report.isFatal { return .fatal }
    switch report.severity {
    case .note: return .info
    case .warning: return .warning
    case .error: return .error
    }
  }

  // MARK: Attributes

  private mutating func add(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    attributes.append(.init(name, .text(SentryText.text(text, atMost: Self.longestText))))
  }

  private mutating func add(_ name: String, _ number: Int?) {
    if let number { attributes.append(.init(name, .number(number))) }
  }

  /// The program's own innermost frame.
  private mutating func addPlace(of report: CrashReport) {
    let thread = report.subject?.thread ?? report.aboutThread
    add("thread.id", thread?.id)
    add("thread.name", thread?.name)
    let origins = FrameOrigins(report)
    guard let frame = report.shownFrames?.first(where: { $0.sourceLocation?.file != nil && origins.isOwn($0) }) else {
      return
    }
    add("code.function.name", frame.name)
    add("code.file.path", frame.sourceLocation?.file)
    add("code.line.number", frame.sourceLocation?.line.flatMap { $0 > 0 ? $0 : nil })
  }

  /// What says which process it was: the one that sends is another.
  private mutating func addProcess(of report: CrashReport) {
    add("service.version", report.application?.version)
    add("process.pid", report.process?.pid)
    add("process.executable.name", report.process?.name)
    add("process.creation.time", report.process?.startedAt?.text)
    add("os.type", "linux")
    add("os.name", report.host?.osName)
    add("os.version", report.host?.osVersion)
    add("host.arch", report.host?.machine ?? report.architecture)
    add("crashkit.signal", report.signal?.name)
  }

  /// The program's attributes, unless they have a name that is taken.
  private mutating func addOwn(_ object: JSONObject?) {
    for member in object?.members ?? [] where attributes.count < Self.mostAttributes {
      let name = SentryText.line(member.key, atMost: 200)
      guard !name.isEmpty, !attributes.contains(where: { $0.name == name }) else { continue }
      switch member.value {
      case .bool(let flag): attributes.append(.init(name, .flag(flag)))
      default: add(name, SentryText.plain(member.value))
      }
    }
  }
}
