/// Puts an index together: what an older one has, and units that were decoded since.
struct IndexWriter {
  private var strings = TextPool()
  private var names: [UInt8] = Array(repeating: 0, count: IndexFormat.nameSize)
  private var code: [UInt8] = []
  private var units: [UInt8]
  /// Names by the offsets of their strings.
  private var knownNames: [UInt32: UInt32] = [:]
  private var ranges: [UInt8] = []
  private var symbols: [UInt8] = []
  /// Names that were added already, by where they are in the files that are read.
  private var numbers: [UInt: UInt32] = [:]
  private let base: UInt64
  private var flags: UInt32

  /// Begins an empty index.
  init(base: UInt64, flags: UInt32, units: Int) {
    self.base = base
    self.flags = flags
    self.units = Array(repeating: 0, count: units * IndexFormat.unitSize)
  }

  /// Begins with all that an index has; nil if it is damaged or not of such units.
  init?(_ file: IndexFile, base: UInt64, flags: UInt32, units count: Int) {
    let kind = IndexFormat.Flag.kindMask | IndexFormat.Flag.hasDWARF
    guard file.base == base, file.flags & kind == flags & kind,
      let strings = file.bytes(of: .strings), let names = file.bytes(of: .names), let code = file.bytes(of: .code),
      let units = file.bytes(of: .units), let ranges = file.bytes(of: .ranges),
      let symbols = file.bytes(of: .symbols), units.count == count * IndexFormat.unitSize, !strings.isEmpty,
      let pool = TextPool(strings)
    else { return nil }
    self.base = base
    self.flags = file.flags
    self.strings = pool
    (self.names, self.code) = (Array(names), Array(code))
    (self.units, self.ranges, self.symbols) = (Array(units), Array(ranges), Array(symbols))
    var cursor = ByteCursor(names, at: UInt64(IndexFormat.nameSize))
    for number in 1..<UInt32(max(names.count / IndexFormat.nameSize, 1)) {
      knownNames[cursor.u32()] = number
      cursor.skip(4)
    }
  }

  /// Whether a unit is in it.
  func holds(_ unit: Int) -> Bool {
    units[(unit * IndexFormat.unitSize + 8)..<((unit + 1) * IndexFormat.unitSize)].contains { $0 != 0 }
  }

  /// Whether addresses that lie in no unit's ranges may be in units that do not say where they are.
  var hasUnrangedUnits: Bool {
    get { flags & IndexFormat.Flag.hasUnrangedUnits != 0 }
    set { flags = flags & ~IndexFormat.Flag.hasUnrangedUnits | (newValue ? IndexFormat.Flag.hasUnrangedUnits : 0) }
  }

  var hasSymbols: Bool { flags & IndexFormat.Flag.hasSymbols != 0 }
  var hasRanges: Bool { !ranges.isEmpty }

  mutating func add(_ unit: UnitEncoder, as number: Int) {
    let start = code.count
    code.appendLEB128(UInt64(unit.names.count))
    for name in unit.names { code.appendLEB128(UInt64(self.number(of: name))) }
    code.appendLEB128(UInt64(unit.paths.count))
    for path in unit.paths { code.appendLEB128(UInt64(offset(of: path))) }
    code += unit.body
    var place: [UInt8] = []
    place.append(UInt64(start))
    place.append(UInt64(code.count - start))
    units.replaceSubrange((number * IndexFormat.unitSize)..<((number + 1) * IndexFormat.unitSize), with: place)
  }

  /// The ranges of all units, in order; the value is the unit's number.
  mutating func setRanges(_ intervals: [(low: UInt64, high: UInt64, unit: Int)]) {
    ranges.removeAll()
    for interval in intervals {
      ranges.append(UInt32(truncatingIfNeeded: interval.low &- base))
      ranges.append(UInt32(truncatingIfNeeded: interval.high &- base))
      ranges.append(UInt32(truncatingIfNeeded: interval.unit))
    }
  }

  /// Every symbol of the image, in order.
  mutating func setSymbols(_ pieces: [SymbolPiece]) {
    symbols.removeAll()
    flags |= IndexFormat.Flag.hasSymbols
    for piece in pieces {
      for address in [piece.low, piece.high, piece.start] {
        symbols.append(UInt32(truncatingIfNeeded: address &- base))
      }
      symbols.append(piece.name)
      symbols.append(piece.table)
      symbols.append(UInt32(0))
    }
  }

  private mutating func number(of name: UnsafeRawBufferPointer?) -> UInt32 {
    guard let name, let start = name.baseAddress else { return 0 }
    if let number = numbers[UInt(bitPattern: start)] { return number }
    let number = number(ofNameAt: strings.offset(of: name))
    numbers[UInt(bitPattern: start)] = number
    return number
  }

  private mutating func number(ofNameAt place: UInt32) -> UInt32 {
    let number = knownNames[place] ?? UInt32(names.count / IndexFormat.nameSize)
    if knownNames.updateValue(number, forKey: place) == nil {
      names.append(place)
      names.append(UInt32(0))
    }
    return number
  }

  /// Adds the simplified form of a name that it has without.
  mutating func note(_ name: FunctionName) {
    guard var mangled = name.mangled,
      let place = mangled.withUTF8({ strings.offset(ofKnown: UnsafeRawBufferPointer($0)) }),
      let number = knownNames[place]
    else { return }
    note(name, as: number)
  }

  /// Adds the names that its symbols lack. Returns whether it added one.
  mutating func note(_ named: [SymbolName: FunctionName]) -> Bool {
    var isChanged = false
    for entry in stride(from: 0, to: symbols.count, by: IndexFormat.symbolSize) {
      guard symbols.word(at: entry + 20) == 0 else { continue }
      let symbol = SymbolName(table: symbols.word(at: entry + 16), name: symbols.word(at: entry + 12))
      guard let name = named[symbol], let mangled = name.mangled else { continue }
      let number = number(ofNameAt: offset(of: mangled))
      note(name, as: number)
      symbols.set(number, at: entry + 20)
      isChanged = true
    }
    return isChanged
  }

  private mutating func note(_ name: FunctionName, as number: UInt32) {
    guard let simplified = name.simplified else { return }
    let form = Int(number) * IndexFormat.nameSize + 4
    guard names[form..<form + 4].allSatisfy({ $0 == 0 }) else { return }
    names.set(offset(of: simplified), at: form)
  }

  private mutating func offset(of text: String) -> UInt32 {
    var text = text
    return text.withUTF8 { strings.offset(of: UnsafeRawBufferPointer($0)) }
  }

  /// The whole file; nil if it has become too large for its numbers.
  func finished(_ key: IndexKey) -> [UInt8]? {
    let sections = [strings.bytes, names, code, units, ranges, symbols]
    guard sections.allSatisfy({ $0.count <= Int(UInt32.max) }) else { return nil }
    let size = sections.reduce(0) { $0 + $1.count }
    let blocks = (size + IndexFormat.blockSize - 1) / IndexFormat.blockSize
    let dataStart = IndexFormat.headerSize + key.bytes.count + 8 * blocks
    var file: [UInt8] = []
    file.reserveCapacity(dataStart + size)
    file.append(IndexFormat.magic)
    file.append(IndexFormat.version)
    file.append(UInt32(0))
    file.append(UInt64(0))
    file.append(UInt64(dataStart + size))
    file.append(UInt64(dataStart))
    file.append(base)
    file.append(UInt32(key.bytes.count))
    file.append(flags)
    var offset = 0
    for section in sections {
      file.append(UInt64(offset))
      file.append(UInt64(section.count))
      offset += section.count
    }
    file += Array(repeating: 0, count: IndexFormat.headerSize - file.count)
    file += key.bytes
    let checksums = file.count
    file += Array(repeating: 0, count: 8 * blocks)
    for section in sections { file += section }
    for block in 0..<blocks {
      let start = dataStart + block * IndexFormat.blockSize
      let end = min(start + IndexFormat.blockSize, file.count)
      file.set(Self.checksum(of: file, start, end, seed: UInt64(block)), at: checksums + 8 * block)
    }
    file.set(Self.checksum(of: file, 24, dataStart, seed: 0), at: 16)
    return file
  }

  private static func checksum(of file: [UInt8], _ start: Int, _ end: Int, seed: UInt64) -> UInt64 {
    file.withUnsafeBytes { Checksum.of(Bytes($0.baseAddress.map { $0 + start }, count: end - start), seed: seed) }
  }
}

extension [UInt8] {
  fileprivate init(_ bytes: Bytes) {
    self.init(UnsafeRawBufferPointer(start: bytes.start, count: bytes.count))
  }

  fileprivate mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate func word(at place: Int) -> UInt32 {
    withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
  }

  fileprivate mutating func set<Number: FixedWidthInteger>(_ number: Number, at place: Int) {
    Swift.withUnsafeBytes(of: number.littleEndian) { replaceSubrange(place..<place + $0.count, with: $0) }
  }
}
