import CLibdw

/// One unit of `.debug_info`: its header and the attributes of its root entry. What costs more is read on demand.
final class Unit: DecodedUnit {
  unowned let file: DWARFFile
  /// Offset of the header in `.debug_info`.
  let offset: Int
  /// Offset of the root entry.
  let firstEntry: Int
  /// Offset behind the unit.
  let end: Int
  let encoding: UnitEncoding
  let abbreviationOffset: UInt64
  private(set) var tag = 0
  private(set) var hasChildren = false

  private(set) var lowAddress = FormValue.none
  private(set) var highAddress = FormValue.none
  private(set) var rangeList = FormValue.none
  private(set) var directory = FormValue.none
  private(set) var lineOffset: UInt64?
  private(set) var splitName = FormValue.none
  private(set) var splitID: UInt64?
  private(set) var stringOffsetsBase: UInt64
  private(set) var rangeListsBase: UInt64
  private(set) var locationListsBase: UInt64
  private(set) var language: UInt64 = 0
  /// Where addresses by index are found: in split DWARF, with the skeleton.
  var addressSection: Bytes
  private(set) var addressBase: UInt64 = 0
  /// `.debug_ranges` as this unit's lists refer to it; in split DWARF 4 the skeleton's part.
  var oldRangeSection: Bytes
  private(set) var oldRangesBase: UInt64 = 0

  /// Where code can be; what the linker left out lies outside.
  private(set) var codeRange: Range<UInt64>

  private var decodedAbbreviations: AbbreviationTable?
  private var decodedFunctions: FunctionTree?
  private var decodedLines: LineTable??
  /// Keeps the split half alive.
  var splitFile: DWARFFile?
  lazy var split: Unit? = SplitUnit.open(for: self)

  var abbreviations: AbbreviationTable {
    if let decodedAbbreviations { return decodedAbbreviations }
    let table = file.abbreviationTable(at: abbreviationOffset, encoding)
    decodedAbbreviations = table
    return table
  }

  /// The functions of this unit, or of its split half.
  var functions: FunctionTree {
    if let decodedFunctions { return decodedFunctions }
    let tree = FunctionTree(of: split ?? self)
    decodedFunctions = tree
    return tree
  }

  var lines: LineTable? {
    if let decodedLines { return decodedLines }
    let table = lineOffset.flatMap { file.lineTable(at: $0, of: self) }
    decodedLines = table
    return table
  }

  func forget() {
    decodedFunctions?.giveBack()
    decodedFunctions = nil
    decodedLines = nil
    decodedAbbreviations = nil
    if let lineOffset { file.forgetLineTable(at: lineOffset) }
    file.forgetAbbreviationTable(at: abbreviationOffset, encoding)
  }

  private init?(in file: DWARFFile, at offset: Int, cursor: inout ByteCursor) {
    var length = UInt64(cursor.u32())
    var offsetSize = 4
    if length == 0xffff_ffff {
      length = cursor.u64()
      offsetSize = 8
    }
    guard !cursor.hasFailed, length > 0, length <= UInt64(cursor.remaining) else { return nil }
    end = cursor.offset + Int(length)
    var header = ByteCursor(file.info.prefix(UInt64(end)), at: UInt64(cursor.offset))
    cursor.skip(length)

    let version = header.u16()
    var kind = DW_UT_compile
    let addressSize: Int
    if version >= 5 {
      kind = Int(header.u8())
      addressSize = Int(header.u8())
      abbreviationOffset = header.unsigned(bytes: offsetSize)
    } else {
      abbreviationOffset = header.unsigned(bytes: offsetSize)
      addressSize = Int(header.u8())
    }
    if kind == DW_UT_skeleton || kind == DW_UT_split_compile { splitID = header.u64() }
    if kind == DW_UT_type || kind == DW_UT_split_type { header.skip(8 + UInt64(offsetSize)) }
    let isSupported = !header.hasFailed && (2...5).contains(version) && (addressSize == 4 || addressSize == 8)

    self.file = file
    self.offset = offset
    firstEntry = header.offset
    encoding = UnitEncoding(
      version: isSupported ? version : 0, addressSize: isSupported ? addressSize : 8, offsetSize: offsetSize)
    addressSection = file.addresses
    oldRangeSection = file.ranges
    codeRange = file.codeRange
    let headerSize: UInt64 = offsetSize == 8 ? 16 : 8
    // Split units have no base attributes: their lists begin behind the section's header.
    stringOffsetsBase = file.isSplit && version >= 5 ? headerSize : 0
    rangeListsBase = file.isSplit && version >= 5 ? (offsetSize == 8 ? 20 : 12) : 0
    locationListsBase = rangeListsBase
    if isSupported { readRoot() }
  }

  /// Whether a section begins with a unit that holds but a type.
  static func isTypeUnit(_ section: Bytes) -> Bool {
    var cursor = ByteCursor(section)
    if cursor.u32() == 0xffff_ffff { _ = cursor.u64() }
    guard cursor.u16() >= 5 else { return false }
    let kind = Int(cursor.u8())
    return kind == DW_UT_type || kind == DW_UT_split_type
  }

  /// Reads the headers and roots of all units, up to the first that cannot be read.
  static func readAll(in file: DWARFFile) -> [Unit] {
    var cursor = ByteCursor(file.info)
    var units: [Unit] = []
    while !cursor.isAtEnd, units.count < Limits.unitsPerFile {
      guard let unit = Unit(in: file, at: cursor.offset, cursor: &cursor) else { break }
      units.append(unit)
    }
    return units
  }

  private func readRoot() {
    var entry = ByteCursor(file.info.prefix(UInt64(end)), at: UInt64(firstEntry))
    let code = entry.uleb()
    guard code != 0, var found = AttributeCursor.find(code: code, in: file.abbreviations, at: abbreviationOffset)
    else { return }
    tag = found.tag
    hasChildren = found.hasChildren
    var attributes = 0
    while attributes < Limits.attributesPerEntry, let attribute = AttributeCursor.next(&found.cursor), !entry.hasFailed
    {
      attributes += 1
      let value = FormValue.read(form: attribute.form, implicit: attribute.implicit, at: &entry, encoding)
      switch Int(attribute.name) {
      case DW_AT_low_pc: lowAddress = value
      case DW_AT_high_pc: highAddress = value
      case DW_AT_ranges: rangeList = value
      case DW_AT_comp_dir: directory = value
      case DW_AT_stmt_list: lineOffset = value.number
      case DW_AT_dwo_name, DW_AT_GNU_dwo_name: splitName = value
      case DW_AT_GNU_dwo_id: splitID = value.number
      case DW_AT_str_offsets_base: stringOffsetsBase = value.value
      case DW_AT_addr_base, DW_AT_GNU_addr_base: addressBase = value.value
      case DW_AT_rnglists_base: rangeListsBase = value.value
      case DW_AT_loclists_base: locationListsBase = value.value
      case DW_AT_language: language = value.value
      case DW_AT_GNU_ranges_base: oldRangesBase = value.value
      default: break
      }
    }
  }

  /// Takes from the skeleton what a split unit leaves there.
  func adopt(_ skeleton: Unit) {
    addressSection = skeleton.addressSection
    addressBase = skeleton.addressBase
    oldRangeSection = skeleton.oldRangeSection.suffix(from: skeleton.oldRangesBase)
    lowAddress = skeleton.lowAddress
    directory = skeleton.directory
    codeRange = skeleton.codeRange
  }

  /// Whether this is a compile unit with code of its own, as far as its root says. Clang's module skeletons have none;
  /// an assembler's unit may be a line table only.
  var mayHaveCode: Bool {
    guard tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit else { return false }
    return rangeList.kind != .none || highAddress.kind != .none || mayHaveUnrangedCode
  }

  /// Whether it may have code and does not say where.
  private var mayHaveUnrangedCode: Bool { splitName.kind == .none && (hasChildren || lineOffset != nil) }

  /// Whether its root names all of its code: DWARF 2 has no list for a second range.
  var namesItsRanges: Bool { rangeList.kind != .none || (highAddress.kind != .none && encoding.version > 2) }
}
