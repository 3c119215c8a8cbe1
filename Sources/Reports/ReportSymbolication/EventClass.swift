import CrashReportModel

/// What happened, in such coarse terms that it is the same for every build and every address layout.
enum EventClass {
  static func name(of report: CrashReport) -> String {
    switch report.kind {
    case .crashReport, nil: crash(report)
    case .error: error(report)
    case .uncleanExit: "uncleanExit \(report.ending?.classification?.rawValue ?? "unknown")"
    case .some(let kind): kind.rawValue
    }
  }

  private static func crash(_ report: CrashReport) -> String {
    guard let signal = report.signal else { return words[report.description ?? ""] ?? "crash" }
    let name = signal.name ?? signal.number.map { "signal \($0)" } ?? "signal"
    if let sender = signal.pid, sender != report.process?.pid { return "sent \(name)" }
    if report.knownCause == .stackOverflow { return stackOverflow }
    return names[name] ?? name
  }

  /// With the error's type, which begins what it says of itself.
  private static func error(_ report: CrashReport) -> String {
    let kind = CrashReport.Kind.error.rawValue
    guard let description = report.description, let end = description.firstRange(of: ": ")?.lowerBound,
      end > description.startIndex, description.distance(from: description.startIndex, to: end) <= longestType
    else { return kind }
    return "\(kind) \(description[..<end])"
  }

  /// What is longer is no name.
  private static let longestType = 256

  static let stackOverflow = "stack overflow"

  /// Whether memory is unmapped or protected, and which instruction traps, differs between layouts and processors.
  private static let names = [
    "SIGILL": "trap", "SIGTRAP": "trap", "SIGSEGV": "memory access", "SIGBUS": "memory access", "SIGABRT": "abort",
    "SIGFPE": "arithmetic", "SIGSYS": "system call",
  ]

  /// What the Swift runtime's log says in the place of a signal.
  private static let words = [
    "Illegal instruction": "trap", "System trap": "trap", "Fatal error": "trap",
    "Bad pointer dereference": "memory access",
    "Bus error": "memory access", "Program crashed": "crash", "Aborted": "abort",
    "Floating point exception": "arithmetic",
  ]
}
