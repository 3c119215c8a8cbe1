import Testing

@testable import StoppedProcesses

@Suite struct AddressSetTests {
  @Test(arguments: 1...50 as ClosedRange<UInt64>) func eachAddressIsNewOnce(_ seed: UInt64) {
    var set = AddressSet()
    var known: Set<UInt64> = []
    var state = seed
    func next(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    for _ in 0..<60 {
      let start = next(200)
      let range = start..<(start + next(30))
      let missing = set.insert(range)
      #expect(missing.flatMap(Array.init) == range.filter { !known.contains($0) })
      #expect(missing.allSatisfy { !$0.isEmpty })
      known.formUnion(range)
    }
  }
}
