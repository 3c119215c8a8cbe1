import CrashReportModel

/// The registers of the crashed thread, and the bytes at those that hold an address.
struct RegistersSection {
  /// So many registers without memory stand on one line.
  private static let columns = 4

  let report: CrashReport

  func print(to printer: inout Printer) {
    let thread = report.threads?.first { $0.crashed == true }
    guard let registers = thread?.registers?.members, !registers.isEmpty else { return }
    let memory = Dictionary(
      (report.capturedMemory?.members ?? []).map { ($0.key, Formatting.text(of: $0.value)) },
      uniquingKeysWith: { $1 })
    printer.heading("Registers\(memory.isEmpty ? "" : " and the memory at them")")
    let width = registers.map(\.key.columns).max() ?? 0
    let texts = registers.map { register -> (text: String, bytes: String?) in
      let value = Formatting.text(of: register.value)
      return ("\(register.key.padded(to: width))  \(value)", memory[value].map(spaced))
    }
    for case (let text, let bytes?) in texts { printer.line("  \(text)  \(bytes)", .dim) }
    let others = texts.filter { $0.bytes == nil }.map(\.text)
    for start in stride(from: 0, to: others.count, by: Self.columns) {
      let row = others[start..<min(start + Self.columns, others.count)]
      printer.line("  " + row.joined(separator: "   "), .dim)
    }
  }

  /// Hexadecimal digits in pairs, and the characters they stand for.
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
