/// Reads little-endian values forwards. Reading past the end gives zeros, sets `hasFailed` and stays at the end, so that
/// loops over damaged input stop without a check at every value.
struct ByteCursor {
  private let start: UnsafeRawPointer
  private(set) var pointer: UnsafeRawPointer
  let end: UnsafeRawPointer
  private(set) var hasFailed = false

  init(_ bytes: Bytes, at offset: UInt64 = 0) {
    start = bytes.start
    end = bytes.start + bytes.count
    if offset <= UInt64(bytes.count) {
      pointer = start + Int(offset)
    } else {
      pointer = end
      hasFailed = true
    }
  }

  /// Distance from the start of the bytes.
  @inline(__always) var offset: Int { pointer - start }
  @inline(__always) var remaining: Int { end - pointer }
  @inline(__always) var isAtEnd: Bool { pointer >= end }

  @inline(__always) private mutating func fail() {
    pointer = end
    hasFailed = true
  }

  @inline(__always) private mutating func load<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) -> Value {
    guard remaining >= MemoryLayout<Value>.size else {
      fail()
      return 0
    }
    let value = pointer.loadUnaligned(as: Value.self)
    pointer += MemoryLayout<Value>.size
    return Value(littleEndian: value)
  }

  @inline(__always) mutating func u8() -> UInt8 { load(UInt8.self) }
  @inline(__always) mutating func u16() -> UInt16 { load(UInt16.self) }
  @inline(__always) mutating func u32() -> UInt32 { load(UInt32.self) }
  @inline(__always) mutating func u64() -> UInt64 { load(UInt64.self) }

  /// An unsigned value of 1 to 8 bytes.
  @inline(__always) mutating func unsigned(bytes: Int) -> UInt64 {
    switch bytes {
    case 1: return UInt64(u8())
    case 2: return UInt64(u16())
    case 4: return UInt64(u32())
    case 8: return u64()
    default:
      guard bytes < 8, remaining >= bytes else {
        fail()
        return 0
      }
      var value: UInt64 = 0
      for index in 0..<bytes {
        value |= UInt64(pointer.load(fromByteOffset: index, as: UInt8.self)) << UInt64(8 * index)
      }
      pointer += bytes
      return value
    }
  }

  @inline(__always) mutating func uleb() -> UInt64 {
    guard pointer < end else {
      fail()
      return 0
    }
    let first = pointer.load(as: UInt8.self)
    pointer += 1
    return first < 0x80 ? UInt64(first) : ulebRest(first)
  }

  private mutating func ulebRest(_ first: UInt8) -> UInt64 {
    var value = UInt64(first & 0x7f)
    var shift: UInt64 = 7
    while true {
      guard pointer < end else {
        fail()
        return 0
      }
      let byte = pointer.load(as: UInt8.self)
      pointer += 1
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      shift += 7
      if byte < 0x80 { return value }
    }
  }

  mutating func sleb() -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard pointer < end else {
        fail()
        return 0
      }
      let byte = pointer.load(as: UInt8.self)
      pointer += 1
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      shift += 7
      if byte < 0x80 {
        if byte & 0x40 != 0, shift < 64 { value |= ~UInt64(0) << shift }
        return Int64(bitPattern: value)
      }
    }
  }

  @inline(__always) mutating func skip(_ count: UInt64) {
    guard count <= UInt64(remaining) else {
      fail()
      return
    }
    pointer += Int(count)
  }

  /// Passes a NUL-terminated string and gives its offset.
  @inline(__always) mutating func skipString() -> Int {
    let first = offset
    while pointer < end {
      let byte = pointer.load(as: UInt8.self)
      pointer += 1
      if byte == 0 { return first }
    }
    hasFailed = true
    return first
  }
}
