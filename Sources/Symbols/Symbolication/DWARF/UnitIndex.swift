/// Which unit an address belongs to. Made from the units' own ranges, for Swift binaries have no `.debug_aranges`; what
/// a unit does not say is taken from there.
final class UnitIndex {
  /// Those that may have code; a unit's number is its place here.
  let units: [Unit]
  /// Units that have code, perhaps, but it is said nowhere where: their functions are looked at when nothing else is
  /// found. Those that turn out to have none are left out then.
  private var unranged: [Unit] = []
  /// Unordered. The value is -1 for the first unit, -2 for the second: where two claim an address, the first has it.
  private var ranges: [IntervalMap.Interval] = []
  private(set) lazy var map = IntervalMap(painting: ranges)
  /// The interval of the last address. Addresses come in order, so it mostly holds the next one too.
  private var latest = IntervalMap.Interval(low: 0, high: 0, value: 0)
  private var plainSearches = 0
  private var unrangedWereRead = false

  init(_ file: DWARFFile) {
    units = file.units.filter(\.mayHaveCode)
    var silent: [UInt64: Int] = [:]
    for (index, unit) in units.enumerated() {
      if !unit.namesItsRanges { silent[UInt64(unit.offset)] = index }
      unit.forEachRange(list: unit.rangeList, low: unit.lowAddress, high: unit.highAddress) { low, high in
        add(low, high, of: index, in: file)
      }
    }
    var named: Set<Int> = []
    AddressRanges.forEach(in: file, of: silent) { index, low, high in
      if add(low, high, of: index, in: file) { named.insert(index) }
    }
    let unnamed = silent.values.filter { !named.contains($0) && units[$0].hasChildren }.sorted()
    unranged = unnamed.prefix(Limits.unrangedUnits).map { units[$0] }
  }

  /// Notes where code of a unit is, unless there can be none.
  @discardableResult private func add(_ low: UInt64, _ high: UInt64, of index: Int, in file: DWARFFile) -> Bool {
    guard file.codeRange.contains(low) else { return false }
    ranges.append(IntervalMap.Interval(low: low, high: high, value: Int32(-1 - index)))
    return true
  }

  /// Whether units have code that do not say where; nil if that has not been looked into.
  var hasUnrangedCode: Bool? {
    if unranged.isEmpty { return false }
    return unrangedWereRead ? true : nil
  }

  /// The unit that an address belongs to, and its number if its ranges say so.
  func unit(at address: UInt64) -> (unit: Unit, number: Int?)? {
    if let value = value(at: address) { return (units[-1 - value], -1 - value) }
    if !unrangedWereRead {
      unrangedWereRead = true
      unranged.removeAll { $0.functions.leaves.intervals.isEmpty }
    }
    return unranged.first { $0.functions.leaves.index(of: address) != nil }.map { ($0, nil) }
  }

  private func value(at address: UInt64) -> Int? {
    if latest.low <= address, address < latest.high { return Int(latest.value) }
    guard plainSearches < Limits.plainSearches else {
      guard let index = map.index(of: address) else { return nil }
      latest = map.intervals[index]
      return Int(latest.value)
    }
    plainSearches += 1
    return ranges.first { $0.low <= address && address < $0.high }.map { Int($0.value) }
  }
}
