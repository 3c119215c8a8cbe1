/// A unit's code as it was decoded, from debug information or from an index.
protocol DecodedUnit: AnyObject {
  var functions: FunctionTree { get }
  var lines: LineTable? { get }
  /// Lets go of what was decoded; it is decoded again when it is asked for.
  func forget()
}

/// The units that addresses fell in of late. Those that were not asked for the longest are forgotten once all together
/// hold more than is worth keeping: neighbouring addresses share a unit, and a unit is decoded fast.
struct DecodedUnits {
  /// The last is the latest.
  private var units: [any DecodedUnit] = []
  private var nodes = 0

  /// Notes that a unit's functions are in use.
  mutating func use(_ unit: any DecodedUnit) {
    if units.last === unit { return }
    if let index = units.firstIndex(where: { $0 === unit }) {
      units.remove(at: index)
    } else {
      nodes += unit.functions.nodes.count
    }
    units.append(unit)
    var forgotten = 0
    while nodes > Limits.decodedFunctions, forgotten < units.count - 1 {
      nodes -= units[forgotten].functions.nodes.count
      units[forgotten].forget()
      forgotten += 1
    }
    units.removeFirst(forgotten)
  }
}
