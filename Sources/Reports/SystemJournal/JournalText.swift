import CrashReportModel

/// Shows crashes that systemd's journal recorded, as text like that of `coredumpctl`.
public enum JournalText {
  private static let mostLines = 1_000
  private static let longestLine = 2_000

  /// A table with one line for each crash, below a line of headings.
  public static func list(_ crashes: [JournalCrash]) -> String {
    let head = ["TIME (UTC)", "PID", "UID", "GID", "SIGNAL", "CORE", "REPORT", "EXE"]
    let rows = [head] + crashes.map(row)
    let widths = head.indices.dropLast().map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
        .joined(separator: "  ") + "  \(row[row.count - 1])\n"
    }.joined()
  }

  private static func row(_ crash: JournalCrash) -> [String] {
    let fields = ["COREDUMP_PID", "COREDUMP_UID", "COREDUMP_GID"].map { short(crash[$0]) }
    return [time(crash, digits: 19)] + fields + [short(crash.signal), crash.core.rawValue, crash.report.rawValue]
      + [crash["COREDUMP_EXE"].map { $0.harmless(upTo: longestLine, as: .masked) } ?? "-"]
  }

  private static func short(_ text: String?) -> String { text.map { $0.harmless(upTo: 20, as: .masked) } ?? "-" }

  private static func time(_ crash: JournalCrash, digits: Int) -> String {
    crash.time.map { String($0.text.replacing("T", with: " ").prefix(digits)) } ?? "-"
  }

  /// All details of one crash.
  public static func details(_ crash: JournalCrash) -> String {
    var text = ""
    func add(_ name: String, _ value: String?) {
      guard let value else { return }
      text += String(repeating: " ", count: 12 - name.count) + "\(name): \(value.harmless(upTo: longestLine))\n"
    }
    add("PID", crash["COREDUMP_PID"].map { pid in crash["COREDUMP_COMM"].map { "\(pid) (\($0))" } ?? pid })
    add("UID", crash["COREDUMP_UID"])
    add("GID", crash["COREDUMP_GID"])
    add("Signal", crash.signal.map { name in crash["COREDUMP_SIGNAL"].map { "\(name) (\($0))" } ?? name })
    add("Time", time(crash, digits: 26) + " UTC")
    add("Executable", crash["COREDUMP_EXE"])
    add("Hostname", crash["COREDUMP_HOSTNAME"])
    add("Unit", crash["COREDUMP_UNIT"])
    add(
      "Package",
      crash["COREDUMP_PACKAGE_NAME"].map { name in crash["COREDUMP_PACKAGE_VERSION"].map { "\(name)/\($0)" } ?? name })
    add("Fingerprint", crash["CRASHKIT_FINGERPRINT"])
    add("Cause", crash["CRASHKIT_CAUSE"])
    add("Context", crash["CRASHKIT_CONTEXT"])
    add("Trace", crash["CRASHKIT_TRACE_ID"])
    add("Core", crash["COREDUMP_FILENAME"].map { "\($0) (\(crash.core.rawValue))" })
    add("Report", crash["CRASHKIT_REPORT"].map { "\($0) (\(crash.report.rawValue))" })
    let message = crash[JournalCrash.message] ?? "-"
    let lines = message.split(separator: "\n", maxSplits: mostLines, omittingEmptySubsequences: false).prefix(mostLines)
    for (number, line) in lines.enumerated() {
      let start = number == 0 ? "     Message: " : line.isEmpty ? "" : "              "
      text += start + String(line).harmless(upTo: longestLine) + "\n"
    }
    return text
  }
}
