import CrashReportModel

/// The registers of the crashed thread, and the bytes at registers that hold an address.
struct RegistersSection {
  /// This many registers without memory are on one line.
  private static let columns = 4

  let report: CrashReport

  /// A register, and the bytes at the address that it holds if the report has them.
  struct Row {
    let name: String
    let value: String
    let bytes: String?
  }

  /// The registers in the order of the report.
  var rows: [Row] {
    let registers = report.threads?.first { $0.crashed == true }?.registers?.members ?? []
    let memory = Dictionary(
      (report.capturedMemory?.members ?? []).map { ($0.key, Formatting.text(of: $0.value)) },
      uniquingKeysWith: { $1 })
    return registers.map { register in
      let value = Formatting.text(of: register.value)
      return Row(name: register.key, value: value, bytes: memory[value].map(spaced))
    }
  }

  func print(to printer: inout Printer) {
    let rows = rows
    guard !rows.isEmpty else { return }
    printer.heading("Registers\(report.capturedMemory?.members.isEmpty ?? true ? "" : " and the memory at them")")
    let width = rows.map(\.name.columns).max() ?? 0
    let texts = rows.map { (text: "\($0.name.padded(to: width))  \($0.value)", bytes: $0.bytes) }
    for case (let text, let bytes?) in texts { printer.line("  \(text)  \(bytes)", .dim) }
    let others = texts.filter { $0.bytes == nil }.map(\.text)
    for start in stride(from: 0, to: others.count, by: Self.columns) {
      let row = others[start..<min(start + Self.columns, others.count)]
      printer.line("  " + row.joined(separator: "   "), .dim)
    }
  }

  /// Hexadecimal digits in pairs, and the characters that they encode.
  private func spaced(_ hex: String) -> String {
    let digits = Array(hex.utf8.prefix(64))
    let pairs = stride(from: 0, to: digits.count - 1, by: 2).map {
      String(decoding: digits[$0...$0 + 1], as: UTF8.self)
    }
    let text = pairs.map { pair in
      UInt8(pair, radix: 16).map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." } ?? "?"
    }
    return "\(pairs.joined(separator: " "))  \(text.joined())"
  }
}
