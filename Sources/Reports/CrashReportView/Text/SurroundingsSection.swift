import CrashReportModel

/// Memory, process and machine.
struct SurroundingsSection {
  let report: CrashReport

  /// What is known, with what it is.
  var rows: [(title: String, text: String)] {
    [("Memory", memory), ("Process", process), ("Arguments", arguments), ("Host", host), ("Group", group)]
      .compactMap { title, text in text.map { (title, $0) } }
  }

  func print(to printer: inout Printer) {
    let rows = rows
    guard !rows.isEmpty else { return }
    printer.line()
    for (title, text) in rows {
      printer.line([Segment(title.padded(to: 11), .bold), Segment(text)])
    }
  }

  private var memory: String? {
    guard let memory = report.memory else { return nil }
    let parts = [
      ("resident", memory.resident), ("peak", memory.peak), ("virtual", memory.virtual), ("limit", memory.limit),
    ]
    return joined(parts.map { name, bytes in bytes.map { "\(name) \(Formatting.bytes($0))" } })
  }

  private var process: String? {
    guard let process = report.process else { return nil }
    return joined([
      process.name, process.pid.map { "pid \($0)" }, process.startedAt.map { "started \(Formatting.moment($0))" },
    ])
  }

  private var arguments: String? {
    guard let arguments = report.process?.arguments, !arguments.isEmpty else { return nil }
    return arguments.joined(separator: " ")
  }

  private var host: String? {
    let host = report.host
    let system = joined([host?.osName, host?.osVersion], with: " ") ?? report.platform
    return joined([
      system, host?.kernel.map { "kernel \($0)" }, host?.machine ?? report.architecture,
      host?.cores.map { Formatting.count($0, "core") }, host?.memory.map { "\(Formatting.bytes($0)) of memory" },
    ])
  }

  private var group: String? {
    report.fingerprint.flatMap { print in print.value.map { "fingerprint \($0), \(print.title)" } }
  }

  private func joined(_ parts: [String?], with separator: String = ", ") -> String? {
    let present = parts.compactMap { $0 }
    return present.isEmpty ? nil : present.joined(separator: separator)
  }
}
