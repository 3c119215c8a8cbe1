/// A `.dwp` file: the `.dwo` files of a whole program in one, found by their identities through a hash table. Both the
/// index of DWARF 5 (7.3.5) and the one that GCC and LLVM used before are read.
final class SplitPackage {
  enum Section {
    case info, abbreviations, lines, stringOffsets, rangeLists

    /// A column's number, which changed with DWARF 5.
    init?(column: UInt32, isOld: Bool) {
      switch column {
      case 1: self = .info
      case 3: self = .abbreviations
      case 4: self = .lines
      case 6: self = .stringOffsets
      case 8 where !isOld: self = .rangeLists
      default: return nil
      }
    }
  }

  /// Where the sections of one `.dwo` file lie in those of the package.
  struct Part {
    private(set) var sections: [Section: (offset: UInt32, size: UInt32)] = [:]

    fileprivate mutating func add(_ section: Section, offset: UInt32, size: UInt32) {
      sections[section] = (offset, size)
    }

    /// The part of a section that is this file's; empty if it has none.
    func section(_ section: Section, of whole: Bytes) -> Bytes {
      guard let place = sections[section] else { return .empty }
      return whole.suffix(from: UInt64(place.offset)).prefix(UInt64(place.size))
    }
  }

  private let file: ELFFile
  private let index: Bytes
  private let isOld: Bool
  private let columns: [Section?]
  private let unitCount: UInt64
  private let slotCount: UInt64
  /// Where in the index each table begins.
  private let identities: UInt64
  private let rows: UInt64
  private let offsets: UInt64
  private let sizes: UInt64

  /// Nil if there is no such file or it has no index.
  convenience init?(path: String) {
    guard let file = ELFFile(path: path) else { return nil }
    self.init(file)
  }

  init?(_ file: ELFFile) {
    self.file = file
    index = file.section(".debug_cu_index")
    var cursor = ByteCursor(index)
    // Since DWARF 5 the version is a half-word, with padding behind it.
    let version = cursor.u32()
    isOld = version == 2
    guard isOld || version & 0xffff == 5 else { return nil }
    let columnCount = UInt64(cursor.u32())
    unitCount = UInt64(cursor.u32())
    slotCount = UInt64(cursor.u32())
    guard !cursor.hasFailed, columnCount <= Self.mostColumns, slotCount > 0, slotCount & (slotCount - 1) == 0 else {
      return nil
    }
    identities = UInt64(cursor.offset)
    rows = identities + 8 * slotCount
    offsets = rows + 4 * slotCount + 4 * columnCount
    sizes = offsets + 4 * columnCount * unitCount
    guard sizes + 4 * columnCount * unitCount <= UInt64(index.count) else { return nil }
    cursor = ByteCursor(index, at: rows + 4 * slotCount)
    var columns: [Section?] = []
    for _ in 0..<columnCount { columns.append(Section(column: cursor.u32(), isOld: isOld)) }
    self.columns = columns
  }

  private static let mostColumns: UInt64 = 64

  /// The `.dwo` file with a unit of this identity.
  func file(of identity: UInt64) -> DWARFFile? {
    guard let row = row(of: identity) else { return nil }
    var part = Part()
    let place = 4 * UInt64(columns.count) * row
    var offset = ByteCursor(index, at: offsets + place)
    var size = ByteCursor(index, at: sizes + place)
    for column in columns {
      let (offset, size) = (offset.u32(), size.u32())
      if let column { part.add(column, offset: offset, size: size) }
    }
    return DWARFFile(file, isSplit: true, part: part)
  }

  /// The row of an identity, counted from 0.
  private func row(of identity: UInt64) -> UInt64? {
    let mask = slotCount - 1
    let step = (identity >> 32) & mask | 1
    var slot = identity & mask
    for _ in 0..<slotCount {
      var cursor = ByteCursor(index, at: rows + 4 * slot)
      let row = UInt64(cursor.u32())
      guard row != 0, row <= unitCount else { return nil }
      cursor = ByteCursor(index, at: identities + 8 * slot)
      if cursor.u64() == identity { return row - 1 }
      slot = (slot + step) & mask
    }
    return nil
  }
}
