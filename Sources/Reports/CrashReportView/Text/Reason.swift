import CrashReportModel

/// Why the program died, for the headline.
enum Reason {
  /// Causes that say no more than that the program ended itself; its own words say why.
  private static let ownEnds: Set<CrashReport.CauseCode> = [.programStop, .abortCalled, .cxxException, .rustPanic]

  /// What the Swift runtime says of every wait for a Mutex that would never end, and what is true of all of them. Reports
  /// of CrashKit have a cause that says which it is.
  private static let mutexTrap = "Recursive call to lock Mutex"
  private static let mutexTruth = CrashReport.CauseCode.mutexDeadlock.words

  /// The cause, or the program's own message about it.
  static func text(of report: CrashReport) -> String? {
    let isOwnEnd =
      report.cause == nil
      ? report.signal == nil || isTrapThatSaidWhy(report) : report.knownCause.map(ownEnds.contains) == true
    guard isOwnEnd, let said = said(report.message ?? "", report.knownCause) else {
      return report.cause ?? report.description
    }
    return said
  }

  /// Whether a failed check printed its message. Logs of the Swift runtime have no cause: they call it an illegal instruction.
  private static func isTrapThatSaidWhy(_ report: CrashReport) -> Bool {
    ["SIGILL", "SIGTRAP"].contains(report.signal?.name) && report.message?.contains("Fatal error") == true
  }

  private static func said(_ message: String, _ cause: CrashReport.CauseCode?) -> String? {
    let lines = message.split(whereSeparator: \.isNewline)
    guard let first = lines.first else { return nil }
    if cause == .cxxException { return exception(lines) }
    if cause == .rustPanic { return panic(lines) }
    for mark in ["Fatal error", "Precondition failed", "Assertion failed"] {
      guard let range = first.firstRange(of: mark) else { continue }
      let text = first[range.upperBound...].drop { $0 == ":" || $0 == " " }
      if text.isEmpty { return mark }
      if text == mutexTrap { return mutexTruth }
      return mark == "Fatal error" ? String(text) : "\(mark): \(text)"
    }
    return String(first)
  }

  /// The message in the output of Rust's runtime. It follows the place on a separate line or, before Rust 1.73, is in
  /// quotation marks before the place.
  private static func panic(_ lines: [Substring]) -> String? {
    guard let head = lines[0].firstRange(of: " panicked at ") else { return nil }
    let rest = lines[0][head.upperBound...]
    if rest.hasSuffix(":"), lines.count > 1 { return "\(CrashReport.CauseCode.rustPanic.words): \(lines[1])" }
    guard rest.hasPrefix("'") else { return nil }
    let end = rest.ranges(of: "', ").last?.lowerBound ?? rest.endIndex
    return "\(CrashReport.CauseCode.rustPanic.words): \(rest[..<end].dropFirst())"
  }

  /// The type and the message in the output of the C++ runtime.
  private static func exception(_ lines: [Substring]) -> String? {
    let parts = lines[0].split(separator: "'", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    let type = parts[1..<(parts.count - 1)].joined(separator: "'")
    let what = lines.dropFirst().lazy.compactMap { line in
      line.firstRange(of: "what():").map { line[$0.upperBound...].drop { $0 == " " } }
    }.first
    return "\(CrashReport.CauseCode.cxxException.words) \(type)" + (what.map { ": \($0)" } ?? "")
  }
}
