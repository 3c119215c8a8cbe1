extension ELFFile {
  /// What to subtract from an address of the process to get the file's own, as the debug information has them.
  /// `baseAddress` is where the ELF header is mapped. Zero for programs linked to a fixed address.
  func loadBias(baseAddress: UInt64) -> UInt64 {
    guard let first = segments.min(by: { $0.address < $1.address }) else { return baseAddress }
    // Debug files keep the addresses of their segments, but their offsets may say nothing.
    let page: UInt64 = 0x1000
    let header =
      first.fileOffset < page && first.address >= first.fileOffset
      ? first.address - first.fileOffset : first.address & ~(page - 1)
    return baseAddress &- header
  }

  /// From the first to the last address that can be code, as the file has them. What the linker left out of the
  /// program has addresses outside (0, 1 or -1).
  var codeRange: Range<UInt64> {
    let code = segments.filter(\.isExecutable)
    guard let low = code.map(\.address).min(), let high = code.map({ $0.address &+ $0.memorySize }).max(), low < high
    else { return 0..<UInt64.max }
    return max(low, 1)..<max(high, 2)
  }

  /// How much higher the addresses are than in another file of the same build. prelink moves a library, and neither its
  /// debug file nor its MiniDebugInfo.
  func distance(from other: ELFFile) -> UInt64 {
    guard other !== self else { return 0 }
    // prelink may also make sections before the code larger: the segments do not show that.
    let others = Dictionary(other.codePlaces().map { ($0.name, $0.address) }, uniquingKeysWith: { first, _ in first })
    for place in codePlaces() {
      if let address = others[place.name] { return place.address &- address }
    }
    guard let start = segments.map(\.address).min(), let otherStart = other.segments.map(\.address).min() else {
      return 0
    }
    return start &- otherStart
  }
}

extension Range<UInt64> {
  /// Nil if it would reach around the end.
  func moved(by distance: UInt64) -> Self? {
    let (low, high) = (lowerBound &+ distance, upperBound &+ distance)
    return low <= high ? low..<high : nil
  }
}
