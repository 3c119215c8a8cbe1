/// Disjoint address ranges with a value each, found by binary search.
struct IntervalMap {
  struct Interval {
    var low: UInt64
    /// Exclusive.
    var high: UInt64
    var value: Int32
  }

  private(set) var intervals: [Interval] = []

  /// The index of the interval that holds the address.
  func index(of address: UInt64) -> Int? {
    intervals.withUnsafeBufferPointer { intervals in
      var low = 0
      var high = intervals.count
      while low < high {
        let middle = (low &+ high) >> 1
        if intervals[middle].low <= address { low = middle &+ 1 } else { high = middle }
      }
      return low > 0 && address < intervals[low - 1].high ? low - 1 : nil
    }
  }

  func value(at address: UInt64) -> Int? { index(of: address).map { Int(intervals[$0].value) } }

  /// Takes ranges that are in order and do not overlap.
  init(disjoint intervals: [Interval]) { self.intervals = intervals }

  /// Makes the map from ranges that may overlap: if they do, the greater value holds.
  init(painting ranges: consuming [Interval]) {
    ranges.sort { $0.low != $1.low ? $0.low < $1.low : $0.value < $1.value }
    var open = OpenIntervals()
    var position: UInt64 = 0
    for range in ranges where range.low < range.high {
      finish(&open, upTo: range.low, from: &position)
      if let top = open.top, position < range.low { append(position, range.low, top.value) }
      position = range.low
      open.push(range)
    }
    finish(&open, upTo: .max, from: &position)
    intervals = intervals.fitted
  }

  /// Ends the open ranges that end at or before `limit`.
  private mutating func finish(_ open: inout OpenIntervals, upTo limit: UInt64, from position: inout UInt64) {
    while let top = open.top, top.high <= limit {
      if top.high > position {
        append(position, top.high, top.value)
        position = top.high
      }
      open.pop()
    }
  }

  private mutating func append(_ low: UInt64, _ high: UInt64, _ value: Int32) {
    if let last = intervals.last, last.high == low, last.value == value {
      intervals[intervals.count - 1].high = high
    } else {
      intervals.append(Interval(low: low, high: high, value: value))
    }
  }
}

extension Array {
  /// The same elements in memory of just their size: what is kept for long is to have no room left over from growing.
  var fitted: [Element] { capacity > count ? withUnsafeBufferPointer { Array($0) } : self }
}

/// A binary heap, the greatest value on top. It may hold ended ranges below the top: they go when they come up.
private struct OpenIntervals {
  private var heap: [IntervalMap.Interval] = []

  var top: IntervalMap.Interval? { heap.first }

  mutating func push(_ interval: IntervalMap.Interval) {
    heap.append(interval)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[parent].value < heap[child].value else { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  mutating func pop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var greatest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].value > heap[greatest].value { greatest = child }
      guard greatest != parent else { return }
      heap.swapAt(parent, greatest)
      parent = greatest
    }
  }
}
