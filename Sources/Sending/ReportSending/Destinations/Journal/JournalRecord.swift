import CrashReportModel
import CrashReportView
import Glibc

/// A record of systemd's journal: fields of text by their names.
///
/// The fields of crashes are those that `coredumpctl` looks for (systemd-coredump(8)), and some of our own.
struct JournalRecord: Sendable {
  /// The priorities of syslog(3).
  private enum Priority: Int {
    case critical = 2
    case error = 3
    case warning = 4
    case notice = 5
  }

  /// The message id with which systemd-coredump marks a crash.
  private static let coredump = "fc2e22bc6ee647b6b90729ab34a250b1"
  private static let longestText = 8192
  private static let longestName = 64
  private static let mostFields = 128
  private static let mostStackLines = 250
  private static let mostFacts = 32

  /// The fields. Each name occurs once.
  private(set) var fields: [(name: String, value: String)] = []

  init(_ report: CrashReport, _ id: EventID, owner: FileOwner?) {
    // coredumpctl 252 ends itself at a record without one of these fields.
    let isCrash = report.kind == .crashReport && report.signal?.number != nil && report.process?.pid != nil
    if isCrash { add("MESSAGE_ID", Self.coredump) }
    add("PRIORITY", Self.priority(of: report).rawValue)
    add("SYSLOG_IDENTIFIER", report.application?.name ?? report.process?.name)
    addPlace(of: report)
    if isCrash { addCoredump(of: report, owner ?? FileOwner(user: getuid(), group: getgid())) }
    add("CRASHKIT_EVENT", id.text)
    add("CRASHKIT_FINGERPRINT", report.fingerprint?.value)
    add("CRASHKIT_KIND", report.kind?.rawValue)
    add("CRASHKIT_CAUSE", report.fields["causeCode"].flatMap(SentryText.plain))
    add("CRASHKIT_MESSAGE", report.message)
    addContext(of: report)
    addAttributes(report.subjectContext?.attributes, "CRASHKIT_CONTEXT_")
    addAttributes(report.attributes, "CRASHKIT_ATTRIBUTE_")
    fields.append(("MESSAGE", Self.message(of: report)))
  }

  /// The message, which `coredumpctl info` shows. It does not know this package's own fields.
  private static func message(of report: CrashReport) -> String {
    var lines = [report.headline]
    if let fingerprint = report.fingerprint?.value { lines.append("fingerprint: \(fingerprint)") }
    if let context = report.subjectContext {
      if let name = context.name, name != CrashReport.scrubbedText { lines.append("context: \(name)") }
      for member in (context.attributes?.members ?? []).prefix(mostFacts) {
        if let value = SentryText.plain(member.value) { lines.append("\(member.key): \(value)") }
      }
    }
    let stack = StackText.lines(of: report.shownFrames).prefix(mostStackLines).map { "#\($0)" }
    return (lines + [""] + stack).map { text($0, atMost: 1024) }.joined(separator: "\n")
  }

  init(_ count: LoopCount, _ id: EventID) {
    add("PRIORITY", Priority.warning.rawValue)
    add("SYSLOG_IDENTIFIER", count.application?.name)
    add("CRASHKIT_EVENT", id.text)
    add("CRASHKIT_FINGERPRINT", count.fingerprint)
    add("CRASHKIT_COUNT", count.count)
    add("MESSAGE", count.sentence)
  }

  /// The bytes of the native protocol. Each value follows its length, so no value can add a field.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields {
      bytes += name.utf8
      bytes.append(0x0A)
      withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
      bytes += value.utf8
      bytes.append(0x0A)
    }
    return bytes
  }

  private static func priority(of report: CrashReport) -> Priority {
    if report.isFatal { return .critical }
    switch report.severity {
    case .note: return .notice
    case .warning: return .warning
    case .error: return .error
    }
  }

  // MARK: Fields

  private mutating func add(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty, fields.count < Self.mostFields, !fields.contains(where: { $0.name == name }) else {
      return
    }
    fields.append((name, Self.text(text, atMost: Self.longestText)))
  }

  /// One line without characters that control a terminal, and without noncharacters, which systemd's readers treat as
  /// damage.
  private static func text(_ text: String, atMost limit: Int) -> String {
    var view = String.UnicodeScalarView()
    for scalar in text.harmless(upTo: limit).unicodeScalars {
      view.append(scalar.properties.isNoncharacterCodePoint ? "\u{FFFD}" : scalar)
    }
    return String(view)
  }

  private mutating func add(_ name: String, _ number: Int?) { add(name, number.map(String.init)) }

  /// The program's own innermost frame, by the journal's own names (systemd.journal-fields(7)).
  private mutating func addPlace(of report: CrashReport) {
    let origins = FrameOrigins(report)
    guard let frame = report.shownFrames?.first(where: { $0.sourceLocation?.file != nil && origins.isOwn($0) }) else {
      return
    }
    add("CODE_FUNC", frame.name)
    add("CODE_FILE", frame.sourceLocation?.file)
    add("CODE_LINE", frame.sourceLocation?.line.flatMap { $0 > 0 ? $0 : nil })
  }

  private mutating func addCoredump(of report: CrashReport, _ owner: FileOwner) {
    add("COREDUMP_PID", report.process?.pid)
    add("COREDUMP_UID", Int(owner.user))
    add("COREDUMP_GID", Int(owner.group))
    add("COREDUMP_SIGNAL", report.signal?.number)
    add("COREDUMP_SIGNAL_NAME", report.signal?.name)
    add("COREDUMP_TIMESTAMP", report.timestamp.map { String($0.microseconds) })
    add("COREDUMP_COMM", report.process?.name)
    add("COREDUMP_EXE", report.images?.first { $0.name != nil && $0.name == report.process?.name }?.path)
    add("COREDUMP_HOSTNAME", report.host?.name)
    add("COREDUMP_UNIT", report.host?.unit)
    add("COREDUMP_PACKAGE_NAME", report.application?.name)
    add("COREDUMP_PACKAGE_VERSION", report.application?.version)
  }

  private mutating func addContext(of report: CrashReport) {
    guard let context = report.subjectContext else { return }
    if context.name != CrashReport.scrubbedText { add("CRASHKIT_CONTEXT", context.name) }
    guard let trace = context.trace?.traceId, TraceID.isValid(trace, digits: 32) else { return }
    add("CRASHKIT_TRACE_ID", trace)
    add("CRASHKIT_SPAN_ID", context.trace?.spanId)
  }

  /// `request.id` becomes `CRASHKIT_CONTEXT_REQUEST_ID`. The journal takes capitals, digits and `_`, and 64 bytes.
  private mutating func addAttributes(_ object: JSONObject?, _ prefix: String) {
    for member in object?.members ?? [] {
      let key = member.key.uppercased().unicodeScalars.map { scalar in
        ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
      }
      guard !key.isEmpty else { continue }
      add(String((prefix + String(key)).prefix(Self.longestName)), SentryText.plain(member.value))
    }
  }
}
