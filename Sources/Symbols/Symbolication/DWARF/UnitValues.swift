import CLibdw

/// How a unit's attribute values become strings, addresses and ranges.
extension Unit {
  /// The string's own bytes. They stay where they are for as long as the unit's file is open.
  func text(_ value: FormValue) -> UnsafeRawBufferPointer? {
    switch value.kind {
    case .inlineString: file.info.cString(at: value.value)
    case .string: file.strings.cString(at: value.value)
    case .lineString: file.lineStrings.cString(at: value.value)
    case .alternateString: file.alternate?.strings.cString(at: value.value)
    case .stringIndex: indexedText(value.value)
    default: nil
    }
  }

  func string(_ value: FormValue) -> String? { text(value).map { String(decoding: $0, as: UTF8.self) } }

  private func indexedText(_ index: UInt64) -> UnsafeRawBufferPointer? {
    guard let offset = entry(index, of: file.stringOffsets, base: stringOffsetsBase, size: encoding.offsetSize) else {
      return nil
    }
    return file.strings.cString(at: offset)
  }

  func address(_ value: FormValue) -> UInt64? {
    switch value.kind {
    case .address: value.value
    case .addressIndex: entry(value.value, of: addressSection, base: addressBase, size: encoding.addressSize)
    default: nil
    }
  }

  private func entry(_ index: UInt64, of section: Bytes, base: UInt64, size: Int) -> UInt64? {
    let (scaled, overflow) = index.multipliedReportingOverflow(by: UInt64(size))
    let (offset, overflow2) = base.addingReportingOverflow(scaled)
    guard !overflow, !overflow2 else { return nil }
    var cursor = ByteCursor(section, at: offset)
    let value = cursor.unsigned(bytes: size)
    return cursor.hasFailed ? nil : value
  }

  /// Gives each address range of an entry to `body`: those of its list, or the one from low to high.
  func forEachRange(
    list: FormValue, low: FormValue, high: FormValue, _ body: (_ low: UInt64, _ high: UInt64) -> Void
  ) {
    if list.kind != .none { return forEachRange(inList: list, body) }
    guard let start = address(low) else { return }
    // Since DWARF 4 the upper end may be written as a length.
    guard let end = high.number.map({ start &+ $0 }) ?? address(high), end > start else { return }
    body(start, end)
  }

  private func forEachRange(inList list: FormValue, _ body: (UInt64, UInt64) -> Void) {
    guard encoding.version >= 5 else {
      guard let offset = list.number else { return }
      return forEachOldRange(at: offset, body)
    }
    if list.kind == .listIndex {
      guard let relative = entry(list.value, of: file.rangeLists, base: rangeListsBase, size: encoding.offsetSize)
      else { return }
      forEachNewRange(at: rangeListsBase &+ relative, body)
    } else if let offset = list.number {
      forEachNewRange(at: offset, body)
    }
  }

  /// `.debug_ranges`, up to DWARF 4.
  private func forEachOldRange(at offset: UInt64, _ body: (UInt64, UInt64) -> Void) {
    var cursor = ByteCursor(oldRangeSection, at: offset)
    let size = encoding.addressSize
    let selectsBase = size == 4 ? UInt64(UInt32.max) : .max
    var base = address(lowAddress) ?? 0
    let limit = min(file.rangeBudget, Limits.rangesPerEntry)
    var count = 0
    defer { file.rangeBudget -= count }
    while count < limit {
      count += 1
      let low = cursor.unsigned(bytes: size)
      let high = cursor.unsigned(bytes: size)
      guard !cursor.hasFailed, low != 0 || high != 0 else { return }
      if low == selectsBase { base = high } else if low < high { body(base &+ low, base &+ high) }
    }
  }

  /// `.debug_rnglists`, from DWARF 5 on.
  private func forEachNewRange(at offset: UInt64, _ body: (UInt64, UInt64) -> Void) {
    var cursor = ByteCursor(file.rangeLists, at: offset)
    var base = address(lowAddress) ?? 0
    func indexed(_ index: UInt64) -> UInt64? { address(FormValue(kind: .addressIndex, value: index)) }
    let limit = min(file.rangeBudget, Limits.rangesPerEntry)
    var count = 0
    defer { file.rangeBudget -= count }
    while count < limit {
      count += 1
      let kind = Int(cursor.u8())
      guard !cursor.hasFailed else { return }
      var range: (low: UInt64?, high: UInt64?) = (nil, nil)
      switch kind {
      case DW_RLE_base_addressx: base = indexed(cursor.uleb()) ?? base
      case DW_RLE_base_address: base = cursor.unsigned(bytes: encoding.addressSize)
      case DW_RLE_startx_endx: range = (indexed(cursor.uleb()), indexed(cursor.uleb()))
      case DW_RLE_startx_length:
        let low = indexed(cursor.uleb())
        let length = cursor.uleb()
        range = (low, low.map { $0 &+ length })
      case DW_RLE_offset_pair: range = (base &+ cursor.uleb(), base &+ cursor.uleb())
      case DW_RLE_start_end:
        range = (cursor.unsigned(bytes: encoding.addressSize), cursor.unsigned(bytes: encoding.addressSize))
      case DW_RLE_start_length:
        let low = cursor.unsigned(bytes: encoding.addressSize)
        range = (low, low &+ cursor.uleb())
      default: return
      }
      if let low = range.low, let high = range.high, low < high, !cursor.hasFailed { body(low, high) }
    }
  }
}
