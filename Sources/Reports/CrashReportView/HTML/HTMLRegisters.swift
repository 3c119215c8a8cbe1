import CrashReportModel

/// The registers of the crashed thread and the memory at them; those that the fault address comes from are marked.
struct HTMLRegisters {
  private static let mostRows = 100
  /// A member of an object or an element of a small array lies no further behind its address than this.
  private static let longestOffset: UInt64 = 4096
  /// They are no addresses that the failed instruction computes with.
  private static let others: Set = [
    "rip", "rflags", "cs", "fs", "gs", "ss", "ds", "es", "eip", "eflags", "pc", "pstate",
  ]

  let page: HTMLPage

  func write(to markup: inout Markup) {
    let rows = RegistersSection(report: page.report).rows
    guard !rows.isEmpty else { return }
    page.section("Registers", to: &markup) { markup in
      let guilty = guilty(rows)
      if guilty.isEmpty == false, let address = page.report.faultAddress {
        markup.element("p") { markup in
          markup.element("mark", guilty.map(\.name).joined(separator: ", "))
          markup.add(guilty.count == 1 ? " leads" : " may each lead")
          markup.add(" to the fault address \(address)")
        }
      }
      let names = Set(guilty.map(\.name))
      markup.element("table", [.literal("class", "registers")]) { markup in
        for row in rows.prefix(Self.mostRows) {
          markup.element("tr") { write(row, isGuilty: names.contains(row.name), to: &$0) }
        }
      }
    }
  }

  private func write(_ row: RegistersSection.Row, isGuilty: Bool, to markup: inout Markup) {
    markup.element("th", [.literal("scope", "row")]) { markup in
      if isGuilty {
        markup.element("mark", row.name)
      } else {
        markup.add(row.name, upTo: 40)
      }
    }
    markup.element("td") { markup in
      markup.element("code") { $0.add(row.value, upTo: 80) }
      guard let bytes = row.bytes else { return }
      markup.add(" ")
      markup.element("code", [.literal("class", "bytes")], bytes)
    }
  }

  /// The registers whose value is the fault address, or lies a little before it. A failed memory access only: other
  /// signals have an instruction's address there.
  private func guilty(_ rows: [RegistersSection.Row]) -> [RegistersSection.Row] {
    guard ["SIGSEGV", "SIGBUS"].contains(page.report.signal?.name), let fault = page.report.faultAddress?.value else {
      return []
    }
    // The instruction itself shows it, if its image's file was there.
    if let register = page.report.fault?.pointer?.register {
      let named = rows.filter { $0.name == register }
      if !named.isEmpty { return named }
    }
    func offset(_ row: RegistersSection.Row) -> UInt64? {
      guard !Self.others.contains(row.name), let value = Address(row.value)?.value, value <= fault else { return nil }
      return fault - value <= Self.longestOffset ? fault - value : nil
    }
    let exact = rows.filter { offset($0) == 0 }
    return exact.isEmpty ? rows.filter { offset($0) != nil } : exact
  }
}
