import CLibdw

/// What decides the size of values in a unit.
struct UnitEncoding: Hashable {
  var version: UInt16
  /// 4 or 8.
  var addressSize: Int
  /// 4 in the 32-bit format, 8 in the 64-bit one.
  var offsetSize: Int
}

/// The value of an attribute as it stands in the entry; strings and lists are still offsets or indices.
struct FormValue {
  enum Kind: UInt8 {
    case none, address, addressIndex, constant, sectionOffset, listIndex
    case inlineString, string, lineString, stringIndex, alternateString
    case unitReference, reference, alternateReference
  }

  var kind: Kind
  var value: UInt64

  static let none = FormValue(kind: .none, value: 0)

  /// The value, if it is a plain number.
  var number: UInt64? {
    switch kind {
    case .constant, .sectionOffset: value
    default: nil
    }
  }

  /// Reads the value of one attribute and stands behind it afterwards.
  @inline(__always)
  static func read(
    form: UInt16, implicit: Int64, at cursor: inout ByteCursor, _ encoding: UnitEncoding
  ) -> FormValue {
    switch Int(form) {
    case DW_FORM_data1: FormValue(kind: .constant, value: UInt64(cursor.u8()))
    case DW_FORM_data2: FormValue(kind: .constant, value: UInt64(cursor.u16()))
    case DW_FORM_data4:
      FormValue(kind: encoding.version < 4 ? .sectionOffset : .constant, value: UInt64(cursor.u32()))
    case DW_FORM_ref4: FormValue(kind: .unitReference, value: UInt64(cursor.u32()))
    case DW_FORM_udata: FormValue(kind: .constant, value: cursor.uleb())
    case DW_FORM_implicit_const: FormValue(kind: .constant, value: UInt64(bitPattern: implicit))
    case DW_FORM_addr: FormValue(kind: .address, value: cursor.unsigned(bytes: encoding.addressSize))
    case DW_FORM_sec_offset:
      FormValue(kind: .sectionOffset, value: cursor.unsigned(bytes: encoding.offsetSize))
    case DW_FORM_strp: FormValue(kind: .string, value: cursor.unsigned(bytes: encoding.offsetSize))
    default: readRare(form: form, at: &cursor, encoding)
    }
  }

  private static func readRare(form: UInt16, at cursor: inout ByteCursor, _ encoding: UnitEncoding) -> FormValue {
    switch Int(form) {
    case DW_FORM_data8: FormValue(kind: encoding.version < 4 ? .sectionOffset : .constant, value: cursor.u64())
    case DW_FORM_sdata: FormValue(kind: .constant, value: UInt64(bitPattern: cursor.sleb()))
    case DW_FORM_flag: FormValue(kind: .constant, value: UInt64(cursor.u8()))
    case DW_FORM_flag_present: FormValue(kind: .constant, value: 1)
    case DW_FORM_addrx, DW_FORM_GNU_addr_index: FormValue(kind: .addressIndex, value: cursor.uleb())
    case DW_FORM_addrx1: FormValue(kind: .addressIndex, value: UInt64(cursor.u8()))
    case DW_FORM_addrx2: FormValue(kind: .addressIndex, value: UInt64(cursor.u16()))
    case DW_FORM_addrx3: FormValue(kind: .addressIndex, value: cursor.unsigned(bytes: 3))
    case DW_FORM_addrx4: FormValue(kind: .addressIndex, value: UInt64(cursor.u32()))
    case DW_FORM_rnglistx: FormValue(kind: .listIndex, value: cursor.uleb())
    case DW_FORM_string: FormValue(kind: .inlineString, value: UInt64(cursor.skipString()))
    case DW_FORM_line_strp: FormValue(kind: .lineString, value: cursor.unsigned(bytes: encoding.offsetSize))
    case DW_FORM_strx, DW_FORM_GNU_str_index: FormValue(kind: .stringIndex, value: cursor.uleb())
    case DW_FORM_strx1: FormValue(kind: .stringIndex, value: UInt64(cursor.u8()))
    case DW_FORM_strx2: FormValue(kind: .stringIndex, value: UInt64(cursor.u16()))
    case DW_FORM_strx3: FormValue(kind: .stringIndex, value: cursor.unsigned(bytes: 3))
    case DW_FORM_strx4: FormValue(kind: .stringIndex, value: UInt64(cursor.u32()))
    case DW_FORM_strp_sup, DW_FORM_GNU_strp_alt:
      FormValue(kind: .alternateString, value: cursor.unsigned(bytes: encoding.offsetSize))
    case DW_FORM_ref1: FormValue(kind: .unitReference, value: UInt64(cursor.u8()))
    case DW_FORM_ref2: FormValue(kind: .unitReference, value: UInt64(cursor.u16()))
    case DW_FORM_ref8: FormValue(kind: .unitReference, value: cursor.u64())
    case DW_FORM_ref_udata: FormValue(kind: .unitReference, value: cursor.uleb())
    case DW_FORM_ref_addr:
      FormValue(
        kind: .reference,
        value: cursor.unsigned(bytes: encoding.version < 3 ? encoding.addressSize : encoding.offsetSize))
    case DW_FORM_GNU_ref_alt:
      FormValue(kind: .alternateReference, value: cursor.unsigned(bytes: encoding.offsetSize))
    case DW_FORM_ref_sup4: FormValue(kind: .alternateReference, value: UInt64(cursor.u32()))
    case DW_FORM_ref_sup8: FormValue(kind: .alternateReference, value: cursor.u64())
    case DW_FORM_indirect: readIndirect(at: &cursor, encoding)
    default: skipAsNone(form: form, at: &cursor, encoding)
    }
  }

  private static func readIndirect(at cursor: inout ByteCursor, _ encoding: UnitEncoding) -> FormValue {
    let form = cursor.uleb()
    guard form != UInt64(DW_FORM_indirect), form != UInt64(DW_FORM_implicit_const), form <= UInt64(UInt16.max) else {
      cursor.skip(.max)
      return .none
    }
    return read(form: UInt16(form), implicit: 0, at: &cursor, encoding)
  }

  private static func skipAsNone(form: UInt16, at cursor: inout ByteCursor, _ encoding: UnitEncoding) -> FormValue {
    skip(form: form, at: &cursor, encoding)
    return .none
  }

  /// Passes a value whose size the form alone does not give.
  static func skip(form: UInt16, at cursor: inout ByteCursor, _ encoding: UnitEncoding) {
    switch Int(form) {
    case DW_FORM_exprloc, DW_FORM_block: cursor.skip(cursor.uleb())
    case DW_FORM_block1: cursor.skip(UInt64(cursor.u8()))
    case DW_FORM_block2: cursor.skip(UInt64(cursor.u16()))
    case DW_FORM_block4: cursor.skip(UInt64(cursor.u32()))
    case DW_FORM_string: _ = cursor.skipString()
    case DW_FORM_sdata, DW_FORM_udata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx, DW_FORM_rnglistx,
      DW_FORM_loclistx, DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index:
      _ = cursor.uleb()
    case DW_FORM_indirect: _ = readIndirect(at: &cursor, encoding)
    default:
      // An unknown form: the start of the next entry is not known.
      cursor.skip(fixedSize(of: form, encoding).map(UInt64.init) ?? .max)
    }
  }

  /// The size of a value where the form alone gives it.
  static func fixedSize(of form: UInt16, _ encoding: UnitEncoding) -> Int? {
    switch Int(form) {
    case DW_FORM_flag_present, DW_FORM_implicit_const: 0
    case DW_FORM_data1, DW_FORM_ref1, DW_FORM_flag, DW_FORM_strx1, DW_FORM_addrx1: 1
    case DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2: 2
    case DW_FORM_strx3, DW_FORM_addrx3: 3
    case DW_FORM_data4, DW_FORM_ref4, DW_FORM_strx4, DW_FORM_addrx4, DW_FORM_ref_sup4: 4
    case DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup8: 8
    case DW_FORM_data16: 16
    case DW_FORM_addr: encoding.addressSize
    case DW_FORM_ref_addr: encoding.version < 3 ? encoding.addressSize : encoding.offsetSize
    case DW_FORM_strp, DW_FORM_line_strp, DW_FORM_sec_offset, DW_FORM_strp_sup, DW_FORM_GNU_strp_alt,
      DW_FORM_GNU_ref_alt:
      encoding.offsetSize
    default: nil
    }
  }
}
