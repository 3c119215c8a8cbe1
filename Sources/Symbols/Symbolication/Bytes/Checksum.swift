/// A fast checksum against damage, not against malice: any change within one word changes it.
enum Checksum {
  private static let prime: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let other: UInt64 = 0xc2b2_ae3d_27d4_eb4f

  /// Four words at a time, each on a lane of its own, so that the processor need not wait for one to be done.
  static func of(_ bytes: Bytes, seed: UInt64 = 0) -> UInt64 {
    var (one, two, three, four) = (seed ^ prime, seed ^ other, seed &+ prime, seed &+ other)
    var place = bytes.start
    let end = bytes.start + bytes.count
    while end - place >= 32 {
      one = mixed(one, place.loadUnaligned(as: UInt64.self))
      two = mixed(two, place.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      three = mixed(three, place.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
      four = mixed(four, place.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
      place += 32
    }
    while place < end {
      one = mixed(one, UInt64(place.load(as: UInt8.self)))
      place += 1
    }
    return [two, three, four, UInt64(bytes.count)].reduce(one) { mixed(rotated($0), $1) }
  }

  @inline(__always) private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    rotated(state ^ (word &* prime)) &* other
  }

  @inline(__always) private static func rotated(_ value: UInt64) -> UInt64 { value << 29 | value >> 35 }
}
