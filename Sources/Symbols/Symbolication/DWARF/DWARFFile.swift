/// The DWARF sections of one file, its units, and the file that dwz moved common entries to.
final class DWARFFile {
  let info: Bytes
  let abbreviations: Bytes
  let strings: Bytes
  let lineStrings: Bytes
  let stringOffsets: Bytes
  let addresses: Bytes
  let addressRanges: Bytes
  let ranges: Bytes
  let rangeLists: Bytes
  /// Where variables are: up to DWARF 4, and from DWARF 5 on.
  let locations: Bytes
  let locationLists: Bytes
  let lines: Bytes
  let alternate: DWARFFile?
  /// Whether this is a `.dwo` file of split DWARF.
  let isSplit: Bool
  let path: String
  /// Where the `.dwo` files of its units may be packed into one.
  var packagePaths: [String] = []
  private(set) lazy var package = packagePaths.lazy.compactMap { SplitPackage(path: $0) }.first
  /// From the first to the last address that can be code.
  let codeRange: Range<UInt64>
  /// How much more may be read: lists that many entries share, for one, cost time without end.
  var rangeBudget = Limits.rangesPerFile
  var functionBudget = Limits.functionsPerFile
  var rowBudget = Limits.lineRowsPerFile
  var abbreviationBudget = Limits.abbreviationsPerFile
  /// Keeps the sections alive.
  private let file: ELFFile
  private var abbreviationTables: [AbbreviationKey: AbbreviationTable] = [:]
  private var lineTables: [UInt64: LineTable] = [:]

  /// In the order of their offsets.
  private(set) lazy var units: [Unit] = Unit.readAll(in: self)

  private struct AbbreviationKey: Hashable {
    var offset: UInt64
    var encoding: UnitEncoding
  }

  /// Nil if the file has no debug information.
  ///
  /// - Parameter part: For a file that packs many `.dwo` files, the one that is meant.
  init?(_ file: ELFFile, alternate: DWARFFile? = nil, isSplit: Bool = false, part: SplitPackage.Part? = nil) {
    let suffix = isSplit ? ".dwo" : ""
    func section(_ name: String, _ kind: SplitPackage.Section? = nil) -> Bytes {
      let whole = file.section(name + suffix)
      return kind.flatMap { part?.section($0, of: whole) } ?? whole
    }
    // A `.dwo` file may have its type units in sections of their own, before the one that counts.
    let loose = isSplit && part == nil ? file.sections(".debug_info.dwo").first { !Unit.isTypeUnit($0) } : nil
    info = loose ?? section(".debug_info", .info)
    abbreviations = section(".debug_abbrev", .abbreviations)
    guard !info.isEmpty, !abbreviations.isEmpty else { return nil }
    strings = section(".debug_str")
    lineStrings = section(".debug_line_str")
    stringOffsets = section(".debug_str_offsets", .stringOffsets)
    addresses = file.section(".debug_addr")
    addressRanges = isSplit ? .empty : file.section(".debug_aranges")
    ranges = file.section(".debug_ranges")
    rangeLists = section(".debug_rnglists", .rangeLists)
    // Of a package the part that is this file's is not known.
    locations = isSplit ? .empty : file.section(".debug_loc")
    locationLists = part == nil ? section(".debug_loclists") : .empty
    lines = section(".debug_line", .lines)
    // No compiler writes such sections: the others cannot be trusted either.
    guard file.refusedSection == nil else { return nil }
    self.alternate = alternate
    self.isSplit = isSplit
    self.file = file
    path = file.path
    codeRange = file.codeRange
  }

  func unit(holding offset: UInt64) -> Unit? {
    var low = 0
    var high = units.count
    while low < high {
      let middle = (low + high) / 2
      if UInt64(units[middle].offset) <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0, offset < UInt64(units[low - 1].end) else { return nil }
    return units[low - 1]
  }

  func abbreviationTable(at offset: UInt64, _ encoding: UnitEncoding) -> AbbreviationTable {
    let key = AbbreviationKey(offset: offset, encoding: encoding)
    if let table = abbreviationTables[key] { return table }
    let table = AbbreviationTable(abbreviations, at: offset, encoding, budget: abbreviationBudget)
    abbreviationBudget -= table.cost
    abbreviationTables[key] = table
    return table
  }

  func forgetAbbreviationTable(at offset: UInt64, _ encoding: UnitEncoding) {
    let table = abbreviationTables.removeValue(forKey: AbbreviationKey(offset: offset, encoding: encoding))
    abbreviationBudget += table?.cost ?? 0
  }

  func forgetLineTable(at offset: UInt64) {
    guard let table = lineTables.removeValue(forKey: offset) else { return }
    rowBudget += table.rowsMade
  }

  /// The line table at an offset; units of one link-time optimisation may share theirs.
  func lineTable(at offset: UInt64, of unit: Unit) -> LineTable? {
    if let table = lineTables[offset] { return table }
    guard let table = LineTable(at: offset, of: unit) else { return nil }
    lineTables[offset] = table
    return table
  }
}
