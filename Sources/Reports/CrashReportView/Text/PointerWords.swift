import CrashReportModel

/// Which pointer was near zero, and what was to be found behind it.
struct PointerWords {
  let pointer: CrashReport.Fault.Pointer

  init?(_ report: CrashReport) {
    guard let pointer = report.fault?.pointer else { return nil }
    self.pointer = pointer
  }

  /// `` `order` is null: offset 24 is `Order.items` ``
  var sentence: String? {
    guard let subject = subject else { return nil }
    return "\(subject) is \(value)\(place)"
  }

  private var subject: String? {
    guard let name = pointer.name else { return pointer.register }
    let type = pointer.member == nil ? pointer.type.map { ", which points to `\($0)`," } ?? "" : ""
    return "`\(name)`\(type)"
  }

  private var value: String {
    guard let value = pointer.value, value.value != 0 else { return "null" }
    return "nearly null (0x\(String(value.value, radix: 16)))"
  }

  private var place: String {
    guard let offset = pointer.offset else { return "" }
    guard let member = pointer.member else { return ": the access was at offset \(offset)" }
    if isTable(member) { return ": offset \(offset) is its table of virtual functions" }
    let outer = member.hasPrefix("[") ? pointer.name ?? "" : (pointer.type ?? pointer.name ?? "") + "."
    return ": offset \(offset) is `\(outer)\(member)`"
  }

  /// As compilers name it.
  private func isTable(_ member: String) -> Bool {
    member.split(separator: ".").contains { $0 == "_vptr" || $0.hasPrefix("_vptr$") }
  }
}
