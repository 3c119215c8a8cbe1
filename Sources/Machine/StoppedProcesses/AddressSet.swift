/// Addresses of which it is known that they were visited.
struct AddressSet {
  /// Sorted, and apart from each other.
  private var ranges: [Range<UInt64>] = []

  /// Adds a range.
  ///
  /// - Returns: The parts of it that were not there, in order.
  mutating func insert(_ range: Range<UInt64>) -> [Range<UInt64>] {
    guard !range.isEmpty else { return [] }
    let first = index { $0.upperBound < range.lowerBound }
    let end = index { $0.lowerBound <= range.upperBound }
    var missing: [Range<UInt64>] = []
    var place = range.lowerBound
    for known in ranges[first..<end] {
      if place < known.lowerBound { missing.append(place..<known.lowerBound) }
      place = max(place, known.upperBound)
    }
    if place < range.upperBound { missing.append(place..<range.upperBound) }
    var whole = range
    if first < end {
      whole = min(range.lowerBound, ranges[first].lowerBound)..<max(range.upperBound, ranges[end - 1].upperBound)
    }
    ranges.replaceSubrange(first..<end, with: [whole])
    return missing
  }

  /// How many of the ranges, from the first one on, are so.
  private func index(_ isBefore: (Range<UInt64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(ranges[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
