import CLibdw

/// What may be read of debug information to answer one question.
final class EntryBudget {
  private var left: Int

  init(_ entries: Int = Limits.pointerEntries) { left = entries }

  /// False if it is spent.
  func spend() -> Bool {
    left -= 1
    return left >= 0
  }
}

/// A debug entry with the attributes that variables and types have.
struct Entry {
  let unit: Unit
  let offset: UInt64
  private(set) var tag = 0
  private(set) var hasChildren = false
  /// Where the next entry begins.
  private(set) var end: UInt64 = 0

  private(set) var name = FormValue.none
  private(set) var linkageName = FormValue.none
  private(set) var type = FormValue.none
  private(set) var origin = FormValue.none
  private(set) var low = FormValue.none
  private(set) var high = FormValue.none
  private(set) var ranges = FormValue.none
  private(set) var byteSize: UInt64?
  private(set) var upperBound: UInt64?
  private(set) var count: UInt64?
  /// The member's place in bytes; nil if it is another kind of place.
  private(set) var memberLocation: UInt64?
  private var bitSize: UInt64?
  private var bitOffset: UInt64?
  private(set) var isDeclaration = false
  private(set) var isExternal = false
  private(set) var location: Place = .none
  private(set) var frameBase: Place = .none

  /// An expression, or the list of those that hold at different addresses.
  enum Place {
    case none
    case expression(Bytes)
    case list(FormValue)
  }

  /// Nil behind the last entry of a list of children, and for what cannot be read.
  init?(at offset: UInt64, in unit: Unit, _ budget: EntryBudget) {
    self.unit = unit
    self.offset = offset
    var cursor = ByteCursor(unit.file.info.prefix(UInt64(unit.end)), at: offset)
    let abbreviations = unit.abbreviations
    let code = cursor.uleb()
    guard budget.spend(), code != 0, !cursor.hasFailed, let index = abbreviations.index(of: code) else { return nil }
    let declaration = abbreviations.declarations[index]
    tag = Int(declaration.tag)
    hasChildren = declaration.hasChildren
    for attribute in declaration.attributes {
      read(abbreviations.attributes[Int(attribute)], at: &cursor)
    }
    guard !cursor.hasFailed else { return nil }
    end = UInt64(cursor.offset)
  }

  private mutating func read(_ attribute: AbbreviationTable.Attribute, at cursor: inout ByteCursor) {
    if let block = Self.block(attribute.form, at: &cursor) { return takeBlock(block, of: Int(attribute.name)) }
    let value =
      Int(attribute.form) == DW_FORM_loclistx
      ? FormValue(kind: .listIndex, value: cursor.uleb())
      : FormValue.read(form: attribute.form, implicit: attribute.implicit, at: &cursor, unit.encoding)
    switch Int(attribute.name) {
    case DW_AT_name: name = value
    case DW_AT_linkage_name, DW_AT_MIPS_linkage_name: linkageName = value
    case DW_AT_type: type = value
    case DW_AT_abstract_origin: origin = value
    case DW_AT_specification: if origin.kind == .none { origin = value }
    case DW_AT_low_pc: low = value
    case DW_AT_high_pc: high = value
    case DW_AT_ranges: ranges = value
    case DW_AT_location: location = .list(value)
    default: takeNumber(value.number, of: Int(attribute.name))
    }
  }

  private mutating func takeNumber(_ number: UInt64?, of attribute: Int) {
    switch attribute {
    case DW_AT_byte_size: byteSize = number
    case DW_AT_upper_bound: upperBound = number
    case DW_AT_count: count = number
    case DW_AT_data_member_location: memberLocation = number
    case DW_AT_bit_size: bitSize = number
    case DW_AT_data_bit_offset: bitOffset = number
    case DW_AT_declaration: isDeclaration = number == 1
    case DW_AT_external: isExternal = number == 1
    default: break
    }
  }

  private mutating func takeBlock(_ block: Bytes, of attribute: Int) {
    switch attribute {
    case DW_AT_location: location = .expression(block)
    case DW_AT_frame_base: frameBase = .expression(block)
    case DW_AT_data_member_location:
      // Older compilers write "plus so much".
      var cursor = ByteCursor(block)
      guard Int(cursor.u8()) == DW_OP_plus_uconst else { return }
      let value = cursor.uleb()
      if cursor.isAtEnd, !cursor.hasFailed { memberLocation = value }
    default: break
    }
  }

  private static func block(_ form: UInt16, at cursor: inout ByteCursor) -> Bytes? {
    let length: UInt64
    switch Int(form) {
    case DW_FORM_exprloc, DW_FORM_block: length = cursor.uleb()
    case DW_FORM_block1: length = UInt64(cursor.u8())
    case DW_FORM_block2: length = UInt64(cursor.u16())
    case DW_FORM_block4: length = UInt64(cursor.u32())
    default: return nil
    }
    let start = cursor.pointer
    cursor.skip(length)
    return cursor.hasFailed ? .empty : Bytes(start: start, count: Int(length))
  }

  /// The bytes that a member of so many bits has a part in, or its whole unit of storage; nil for other members.
  var bits: (start: UInt64, count: UInt64)? {
    guard let bitSize else { return nil }
    guard let bitOffset else { return (memberLocation ?? 0, byteSize ?? 8) }
    let (end, isTooLarge) = bitOffset.addingReportingOverflow(bitSize)
    return isTooLarge ? (0, .max) : (bitOffset / 8, (end &+ 7) / 8 &- bitOffset / 8)
  }

  // MARK: - Other entries

  /// The entry that a reference means.
  func target(of reference: FormValue, _ budget: EntryBudget) -> Entry? {
    unit.target(of: reference).flatMap { Entry(at: $0.1, in: $0.0, budget) }
  }

  /// Name and type, which may stand in the entry that this one is a copy of.
  func described(_ budget: EntryBudget) -> (name: String, type: Entry?)? {
    var current = self
    var type = target(of: self.type, budget)
    for _ in 0..<Limits.originHops {
      if type == nil { type = current.target(of: current.type, budget) }
      if let name = current.unit.string(current.name), !name.isEmpty, type != nil || current.origin.kind == .none {
        return (name, type)
      }
      guard let next = current.target(of: current.origin, budget) else { return nil }
      current = next
    }
    return nil
  }

  /// Calls `body` with each child.
  func forEachChild(_ budget: EntryBudget, _ body: (Entry) -> Void) {
    forEachDescendant(budget) { entry, depth in
      if depth == 0 { body(entry) }
      return false
    }
  }

  /// Calls `body` with the entries below this one, in their order. `body` says whether it wants those below an entry too;
  /// entries that it does not want are passed over, not skipped: few have the address of their sibling.
  func forEachDescendant(_ budget: EntryBudget, _ body: (_ entry: Entry, _ depth: Int) -> Bool) {
    guard hasChildren else { return }
    var next = end
    var depth = 0
    // From this depth on nothing is wanted.
    var unwanted = Int.max
    while next < UInt64(unit.end) {
      guard let entry = Entry(at: next, in: unit, budget) else {
        guard isEndOfChildren(at: next), budget.spend() else { return }
        next += 1
        depth -= 1
        if depth < unwanted { unwanted = .max }
        if depth < 0 { return }
        continue
      }
      let wantsMore = depth < unwanted && body(entry, depth)
      next = entry.end
      if entry.hasChildren {
        guard depth < Limits.entryDepth else { return }
        depth += 1
        if !wantsMore, depth < unwanted { unwanted = depth }
      }
    }
  }

  private func isEndOfChildren(at offset: UInt64) -> Bool {
    var cursor = ByteCursor(unit.file.info.prefix(UInt64(unit.end)), at: offset)
    return cursor.u8() == 0 && !cursor.hasFailed
  }
}
