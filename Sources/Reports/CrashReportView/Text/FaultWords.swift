import CrashReportModel

/// What the memory map shows about a crash's addresses, if it is worth a line.
struct FaultWords {
  /// Linux maps nothing below it: an address there is an offset from a null pointer.
  private static let firstMapped: UInt64 = 0x10000

  let fault: CrashReport.Fault

  /// Clauses, or `nil` if each address is where it belongs.
  var text: String? {
    let clauses = (fault.places ?? []).compactMap(clause)
    return clauses.isEmpty ? nil : clauses.joined(separator: "; ")
  }

  private func clause(_ place: CrashReport.Fault.Place) -> String? {
    switch place.of {
    case "faultAddress" where isWorthALine(place):
      "the fault address is \(words(of: place))"
    case "programCounter" where place.mapping?.permissions?.contains("x") != true || place.mapping?.path == nil:
      "the program counter is \(words(of: place))"
    case "stackPointer":
      fault.leftStack.map { stack in
        "the stack pointer is outside the thread's stack, \(range(of: stack)): it is \(words(of: place))"
      }
    default: nil
    }
  }

  /// The address of a trap is the program counter's.
  private func isWorthALine(_ place: CrashReport.Fault.Place) -> Bool {
    guard let address = place.address, address.value >= Self.firstMapped else { return false }
    let counter = fault.places?.first { $0.of == "programCounter" }
    return address != counter?.address && !isBesideStackPointer(place)
  }

  /// Whether the fault is that of a stack pointer that left its stack: one clause is enough.
  private func isBesideStackPointer(_ place: CrashReport.Fault.Place) -> Bool {
    guard fault.leftStack != nil, let stack = fault.places?.last, stack.of == "stackPointer" else { return false }
    return place.mapping == nil && stack.mapping == nil && place.above?.start == stack.above?.start
  }

  private func words(of place: CrashReport.Fault.Place) -> String {
    if let mapping = place.mapping { return "in \(words(of: mapping))" }
    let gaps = [
      gap(from: place.below?.end, to: place.address).flatMap { gap in place.below.map { (gap, "behind", $0) } },
      gap(from: place.address, to: place.above?.start).flatMap { gap in place.above.map { (gap, "before", $0) } },
    ]
    guard let (bytes, side, mapping) = gaps.compactMap({ $0 }).min(by: { $0.0 < $1.0 }) else { return "unmapped" }
    return "unmapped, \(Formatting.bytes(bytes)) \(side) \(words(of: mapping))"
  }

  private func words(of mapping: CrashReport.Mapping) -> String {
    "\(mapping.path ?? "memory without a file") (\(mapping.permissions ?? "?"), \(range(of: mapping)))"
  }

  private func range(of mapping: CrashReport.Mapping) -> String {
    "\(mapping.start?.description ?? "?")–\(mapping.end?.description ?? "?")"
  }

  private func gap(from start: Address?, to end: Address?) -> Int? {
    guard let start, let end, start <= end else { return nil }
    return Int(exactly: end.value - start.value)
  }
}
