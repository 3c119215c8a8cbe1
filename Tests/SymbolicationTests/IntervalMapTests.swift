import Testing

@testable import Symbolication

@Suite struct IntervalMapTests {
  @Test func laterRangeHolds() {
    let map = IntervalMap(painting: [
      .init(low: 10, high: 50, value: 0), .init(low: 20, high: 30, value: 1), .init(low: 25, high: 28, value: 2),
    ])
    #expect(map.value(at: 9) == nil)
    #expect(map.value(at: 10) == 0)
    #expect(map.value(at: 24) == 1)
    #expect(map.value(at: 25) == 2)
    #expect(map.value(at: 28) == 1)
    #expect(map.value(at: 30) == 0)
    #expect(map.value(at: 50) == nil)
  }

  @Test func sameAsPaintingCellByCell() {
    var random = Random(seed: 3)
    for _ in 0..<500 {
      var cells = [Int?](repeating: nil, count: 64)
      let ranges = (0..<random.next(below: 20)).map { value in
        let low = random.next(below: 64)
        let high = min(64, low + random.next(below: 24))
        for cell in low..<high { cells[cell] = value }
        return IntervalMap.Interval(low: UInt64(low), high: UInt64(high), value: Int32(value))
      }
      let map = IntervalMap(painting: ranges)
      #expect(cells.indices.map { map.value(at: UInt64($0)) } == cells)
    }
  }
}
