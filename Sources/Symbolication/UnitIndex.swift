/// Which unit an address belongs to. Made from the units' own ranges: Swift binaries have no `.debug_aranges`.
struct UnitIndex {
  private let units: [Unit]
  private let ranges: IntervalMap
  /// Units that have code, perhaps, but do not say where: their functions are looked at when nothing else is found.
  private let unranged: [Unit]

  init(_ file: DWARFFile) {
    units = file.units.filter(\.mayHaveCode)
    var ranges: [IntervalMap.Interval] = []
    var unranged: [Unit] = []
    for (index, unit) in units.enumerated() {
      if unit.rangeList.kind == .none && unit.highAddress.kind == .none {
        unranged.append(unit)
        continue
      }
      unit.forEachRange(list: unit.rangeList, low: unit.lowAddress, high: unit.highAddress) { low, high in
        guard file.codeRange.contains(low) else { return }
        // Where two units claim an address, the first has it.
        ranges.append(IntervalMap.Interval(low: low, high: high, value: Int32(-1 - index)))
      }
    }
    self.ranges = IntervalMap(painting: ranges)
    self.unranged = unranged
  }

  func unit(at address: UInt64) -> Unit? {
    if let value = ranges.value(at: address) { return units[-1 - value] }
    return unranged.first { $0.functions.leaves.index(of: address) != nil }
  }
}
