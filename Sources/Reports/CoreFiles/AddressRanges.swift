/// Ranges of a process's addresses that do not overlap.
struct AddressRanges {
  private let ranges: [Range<UInt64>]

  init(_ ranges: [Range<UInt64>]) {
    self.ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Whether one of them holds the address.
  func contains(_ address: UInt64) -> Bool {
    var below = 0
    var above = ranges.count
    while below < above {
      let middle = (below + above) / 2
      if ranges[middle].lowerBound <= address { below = middle + 1 } else { above = middle }
    }
    return below > 0 && ranges[below - 1].contains(address)
  }
}
