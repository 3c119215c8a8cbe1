import CrashReportModel

/// Memory, process and machine.
struct SurroundingsSection {
  /// Of the titles that most reports have.
  private static let width = 11

  let report: CrashReport

  /// What is known, with what it is.
  var rows: [(title: String, text: String)] {
    [
      ("Fault", report.fault.flatMap { FaultWords(fault: $0).text }), ("Memory", memory), ("Descriptors", descriptors),
      ("Process", process), ("Arguments", arguments), ("Host", host), ("Group", group),
    ].compactMap { title, text in text.map { (title, $0) } }
  }

  func print(to printer: inout Printer) {
    let rows = rows
    guard !rows.isEmpty else { return }
    printer.line()
    let width = max(Self.width, (rows.map(\.title.count).max() ?? 0) + 2)
    for (title, text) in rows {
      printer.line([Segment(title.padded(to: width), .bold), Segment(text)])
    }
  }

  private var memory: String? {
    guard let memory = report.memory else { return nil }
    let parts = [
      ("resident", memory.resident), ("peak", memory.peak), ("virtual", memory.virtual), ("limit", memory.limit),
    ]
    let sizes = parts.map { name, bytes in bytes.map { "\(name) \(Formatting.bytes($0))" } }
    return joined(sizes + [memory.pressure.flatMap(words), memory.events.flatMap(words)])
  }

  private func words(of pressure: CrashReport.Memory.Pressure) -> String? {
    guard let some = pressure.some, some > 0 else { return nil }
    let all = pressure.full.map { ", all for \(Formatting.fixed($0, digits: 1)) %" }
    return "tasks waited for memory during \(Formatting.fixed(some, digits: 1)) % of the last 10 s\(all ?? "")"
  }

  private func words(of events: CrashReport.Memory.Events) -> String? {
    let counts = [("at its limit", events.max), ("at its limit with nothing to reclaim", events.oom)]
    let kills = events.oomKill.flatMap { count in
      count > 0 ? "\(counted(count, "process")) of it ended by the kernel" : nil
    }
    let times = counts.map { words, count in count.flatMap { $0 > 0 ? "\(counted($0, "time")) \(words)" : nil }
    }
    return joined(times + [kills]).map { "events in its control group since the group was made: \($0)" }
  }

  private var descriptors: String? {
    guard let descriptors = report.descriptors, let open = descriptors.open else { return nil }
    let kinds = (descriptors.kinds?.fields.members ?? []).map { "\($0.key) \(Formatting.text(of: $0.value))" }
    let limit = descriptors.limit.map { " of \($0)" } ?? ""
    return joined(["\(open)\(limit) open"] + kinds)
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

  /// Where it ran, in the order in which people look for it.
  private func origin(_ host: CrashReport.Host) -> [String?] {
    [
      host.name, host.pod.map { "pod \($0)" }, host.namespace.map { "namespace \($0)" },
      host.unit.map { "unit \($0)" }, host.containerId.map { "container \(Self.short($0))" },
      host.imageTag.map { "image tag \($0)" },
    ]
  }

  /// As tools for containers print identifiers: the first 12 characters.
  private static func short(_ id: String) -> String { String(id.prefix(12)) }

  private var host: String? {
    let host = report.host
    let system = joined([host?.osName, host?.osVersion], with: " ") ?? report.platform
    let machine = [
      system, host?.kernel.map { "kernel \($0)" }, host?.machine ?? report.architecture,
      host?.cores.map { counted($0, "core") }, host?.memory.map { "\(Formatting.bytes($0)) of memory" },
    ]
    return joined((host.map(origin) ?? []) + machine)
  }

  private var group: String? {
    report.fingerprint.flatMap { print in print.value.map { "fingerprint \($0), \(print.title)" } }
  }

  private func joined(_ parts: [String?], with separator: String = ", ") -> String? {
    let present = parts.compactMap { $0 }
    return present.isEmpty ? nil : present.joined(separator: separator)
  }
}
