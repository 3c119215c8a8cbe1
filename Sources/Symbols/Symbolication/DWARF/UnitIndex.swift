/// Which unit an address belongs to. Made from the units' own ranges: Swift binaries have no `.debug_aranges`.
final class UnitIndex {
  /// Those that may have code; a unit's number is its place here.
  let units: [Unit]
  /// Units that have code, perhaps, but do not say where: their functions are looked at when nothing else is found.
  private var unranged: [Unit] = []
  /// Unordered. The value is -1 for the first unit, -2 for the second: where two claim an address, the first has it.
  private var ranges: [IntervalMap.Interval] = []
  private(set) lazy var map = IntervalMap(painting: ranges)
  private var plainSearches = 0
  private var unrangedWereRead = false

  init(_ file: DWARFFile) {
    units = file.units.filter(\.mayHaveCode)
    for (index, unit) in units.enumerated() {
      if unit.rangeList.kind == .none && unit.highAddress.kind == .none {
        if unranged.count < Limits.unrangedUnits { unranged.append(unit) }
        continue
      }
      unit.forEachRange(list: unit.rangeList, low: unit.lowAddress, high: unit.highAddress) { low, high in
        guard file.codeRange.contains(low) else { return }
        ranges.append(IntervalMap.Interval(low: low, high: high, value: Int32(-1 - index)))
      }
    }
  }

  /// Whether units have code that do not say where; nil where that has not been looked into.
  var hasUnrangedCode: Bool? {
    if unranged.isEmpty { return false }
    return unrangedWereRead ? unranged.contains { !$0.functions.leaves.intervals.isEmpty } : nil
  }

  /// The unit that an address belongs to, and its number if its ranges say so.
  func unit(at address: UInt64) -> (unit: Unit, number: Int?)? {
    if let value = value(at: address) { return (units[-1 - value], -1 - value) }
    unrangedWereRead = true
    return unranged.first { $0.functions.leaves.index(of: address) != nil }.map { ($0, nil) }
  }

  private func value(at address: UInt64) -> Int? {
    guard plainSearches < Limits.plainSearches else { return map.value(at: address) }
    plainSearches += 1
    return ranges.first { $0.low <= address && address < $0.high }.map { Int($0.value) }
  }
}
