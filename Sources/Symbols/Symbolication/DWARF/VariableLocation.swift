import CLibdw

/// Where a variable is, as far as the way of a pointer needs it.
enum VariableLocation: Hashable {
  case register(RegisterNumber)
  /// In memory, at this distance from the canonical frame address.
  case frame(Int64)
  /// In memory, at this distance from the value of a register.
  case memory(RegisterNumber, Int64)
  /// In memory, at an address of the file.
  case file(UInt64)
  /// The value of a register at the function's entry.
  case entry(RegisterNumber)
}

/// Reads locations of a function's variables.
struct LocationReader {
  let unit: Unit
  /// The function's frame base.
  let frameBase: VariableLocation?

  /// - Parameter function: The entry of the function around the variables.
  init(_ function: Entry) {
    unit = function.unit
    guard case .expression(let bytes) = function.frameBase else {
      frameBase = nil
      return
    }
    var cursor = ByteCursor(bytes)
    switch Int(cursor.u8()) {
    case DW_OP_call_frame_cfa where cursor.isAtEnd: frameBase = .frame(0)
    case let code where (DW_OP_reg0...DW_OP_reg31).contains(code) && cursor.isAtEnd:
      frameBase = .memory(RegisterNumber(code - DW_OP_reg0), 0)
    case let code where (DW_OP_breg0...DW_OP_breg31).contains(code):
      let distance = cursor.sleb()
      frameBase = cursor.isAtEnd && !cursor.hasFailed ? .memory(RegisterNumber(code - DW_OP_breg0), distance) : nil
    default: frameBase = nil
    }
  }

  /// Where a variable is when the instruction at an address is about to run; nil if that is not known or not simple.
  func location(_ place: Entry.Place, at address: UInt64) -> VariableLocation? {
    switch place {
    case .none: nil
    case .expression(let bytes): location(bytes)
    case .list(let list): expression(in: list, at: address).flatMap(location)
    }
  }

  // MARK: - Expressions

  private func location(_ expression: Bytes) -> VariableLocation? {
    var cursor = ByteCursor(expression)
    guard let first = first(&cursor), !cursor.hasFailed else { return nil }
    if cursor.isAtEnd { return first }
    // The value itself, rather than where it is.
    guard Int(cursor.u8()) == DW_OP_stack_value, cursor.isAtEnd else { return nil }
    switch first {
    case .memory(let register, 0): return .register(register)
    case .entry: return first
    default: return nil
    }
  }

  private func first(_ cursor: inout ByteCursor) -> VariableLocation? {
    let code = Int(cursor.u8())
    switch code {
    case DW_OP_reg0...DW_OP_reg31: return .register(RegisterNumber(code - DW_OP_reg0))
    case DW_OP_breg0...DW_OP_breg31: return .memory(RegisterNumber(code - DW_OP_breg0), cursor.sleb())
    case DW_OP_fbreg:
      let distance = cursor.sleb()
      switch frameBase {
      case .frame(let base): return .frame(base &+ distance)
      case .memory(let register, let base): return .memory(register, base &+ distance)
      default: return nil
      }
    case DW_OP_addr: return .file(cursor.unsigned(bytes: unit.encoding.addressSize))
    case DW_OP_addrx, DW_OP_GNU_addr_index:
      return unit.address(FormValue(kind: .addressIndex, value: cursor.uleb())).map { .file($0) }
    case DW_OP_entry_value, DW_OP_GNU_entry_value:
      guard cursor.uleb() == 1 else { return nil }
      let inner = Int(cursor.u8())
      return (DW_OP_reg0...DW_OP_reg31).contains(inner) ? .entry(RegisterNumber(inner - DW_OP_reg0)) : nil
    default: return nil
    }
  }

  // MARK: - Lists

  private func expression(in list: FormValue, at address: UInt64) -> Bytes? {
    guard unit.encoding.version >= 5 else {
      return list.number.flatMap { oldExpression(at: $0, for: address) }
    }
    if list.kind == .listIndex {
      let size = UInt64(unit.encoding.offsetSize)
      let (scaled, isTooLarge) = list.value.multipliedReportingOverflow(by: size)
      guard !isTooLarge else { return nil }
      var cursor = ByteCursor(unit.file.locationLists, at: unit.locationListsBase &+ scaled)
      let relative = cursor.unsigned(bytes: unit.encoding.offsetSize)
      return cursor.hasFailed ? nil : newExpression(at: unit.locationListsBase &+ relative, for: address)
    }
    return list.number.flatMap { newExpression(at: $0, for: address) }
  }

  /// `.debug_loc`, up to DWARF 4.
  private func oldExpression(at offset: UInt64, for address: UInt64) -> Bytes? {
    var cursor = ByteCursor(unit.file.locations, at: offset)
    let size = unit.encoding.addressSize
    let selectsBase = size == 4 ? UInt64(UInt32.max) : .max
    var base = unit.address(unit.lowAddress) ?? 0
    for _ in 0..<Limits.locationsPerList {
      let low = cursor.unsigned(bytes: size)
      let high = cursor.unsigned(bytes: size)
      guard !cursor.hasFailed, low != 0 || high != 0 else { return nil }
      if low == selectsBase {
        base = high
        continue
      }
      let expression = Self.take(UInt64(cursor.u16()), &cursor)
      if let expression, base &+ low <= address, address < base &+ high { return expression }
    }
    return nil
  }

  /// `.debug_loclists`, from DWARF 5 on.
  private func newExpression(at offset: UInt64, for address: UInt64) -> Bytes? {
    var cursor = ByteCursor(unit.file.locationLists, at: offset)
    let size = unit.encoding.addressSize
    var base = unit.address(unit.lowAddress) ?? 0
    func indexed(_ index: UInt64) -> UInt64? { unit.address(FormValue(kind: .addressIndex, value: index)) }
    var other: Bytes?
    for _ in 0..<Limits.locationsPerList {
      var range: (low: UInt64, high: UInt64)?
      let kind = Int(cursor.u8())
      switch kind {
      case DW_LLE_base_addressx: base = indexed(cursor.uleb()) ?? base
      case DW_LLE_base_address: base = cursor.unsigned(bytes: size)
      case DW_LLE_GNU_view_pair: _ = (cursor.uleb(), cursor.uleb())
      case DW_LLE_startx_endx:
        let (low, high) = (indexed(cursor.uleb()), indexed(cursor.uleb()))
        range = (low ?? 0, high ?? 0)
      case DW_LLE_startx_length:
        let low = indexed(cursor.uleb()) ?? 0
        range = (low, low &+ cursor.uleb())
      case DW_LLE_offset_pair: range = (base &+ cursor.uleb(), base &+ cursor.uleb())
      case DW_LLE_start_end: range = (cursor.unsigned(bytes: size), cursor.unsigned(bytes: size))
      case DW_LLE_start_length:
        let low = cursor.unsigned(bytes: size)
        range = (low, low &+ cursor.uleb())
      case DW_LLE_default_location: other = Self.take(cursor.uleb(), &cursor)
      default: return other
      }
      guard !cursor.hasFailed else { return nil }
      guard let range else { continue }
      let expression = Self.take(cursor.uleb(), &cursor)
      if let expression, range.low <= address, address < range.high { return expression }
    }
    return nil
  }

  private static func take(_ length: UInt64, _ cursor: inout ByteCursor) -> Bytes? {
    let start = cursor.pointer
    cursor.skip(length)
    return cursor.hasFailed ? nil : Bytes(start: start, count: Int(length))
  }
}
