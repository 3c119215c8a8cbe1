/// `.debug_aranges`: where the code of units is, beside what the units say. Compilers that keep to DWARF 2 have no other
/// place to name more than one range, and old assemblers name none elsewhere.
enum AddressRanges {
  /// Gives the ranges of some units, which are known by the offsets of their headers, to `body`.
  static func forEach(
    in file: DWARFFile, of units: [UInt64: Int], _ body: (_ unit: Int, _ low: UInt64, _ high: UInt64) -> Void
  ) {
    guard !units.isEmpty else { return }
    var sets = ByteCursor(file.addressRanges)
    while !sets.isAtEnd {
      let start = sets.offset
      var length = UInt64(sets.u32())
      var offsetSize = 4
      if length == 0xffff_ffff {
        length = sets.u64()
        offsetSize = 8
      }
      guard !sets.hasFailed, length > 0, length <= UInt64(sets.remaining) else { return }
      let end = UInt64(sets.offset) + length
      var set = ByteCursor(file.addressRanges.prefix(end), at: UInt64(sets.offset))
      sets.skip(length)
      let version = set.u16()
      let unit = units[set.unsigned(bytes: offsetSize)]
      let addressSize = Int(set.u8())
      let segmentSize = set.u8()
      guard let unit, !set.hasFailed, version == 2, addressSize == 4 || addressSize == 8, segmentSize == 0
      else { continue }
      // The pairs begin at a multiple of their own size, counted from the start of the set.
      let pairSize = 2 * addressSize
      let headerSize = set.offset - start
      set.skip(UInt64((pairSize - headerSize % pairSize) % pairSize))
      forEachPair(at: &set, addressSize, file) { body(unit, $0, $1) }
    }
  }

  /// A pair of zeros ends the set.
  private static func forEachPair(
    at cursor: inout ByteCursor, _ addressSize: Int, _ file: DWARFFile, _ body: (UInt64, UInt64) -> Void
  ) {
    while file.rangeBudget > 0 {
      file.rangeBudget -= 1
      let low = cursor.unsigned(bytes: addressSize)
      let (high, overflow) = low.addingReportingOverflow(cursor.unsigned(bytes: addressSize))
      guard !cursor.hasFailed, low != 0 || high != 0 else { return }
      if !overflow, low < high { body(low, high) }
    }
  }
}
