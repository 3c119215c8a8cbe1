/// Instructions of x86-64 (Intel SDM volume 2, chapter 2 and appendix A): their lengths, their memory, and what they do to
/// general registers. What is not known changes every register that it may name, or is no instruction at all.
struct IntelDecoder {
  private static let dwarfNumbers: [RegisterNumber] = [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]
  private static let longest = 15
  private static let (rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp) = (
    RegisterNumber(0), RegisterNumber(1), RegisterNumber(2), RegisterNumber(3), RegisterNumber(4), RegisterNumber(5),
    RegisterNumber(6), RegisterNumber(7)
  )

  private let address: UInt64
  private var cursor: ByteCursor
  private var instruction = Instruction(length: 0)
  private var has16BitOperands = false
  /// The operand's address is not what its registers say: it is in a thread's segment, has 32 bits or is scaled.
  private var hidesMemory = false
  private var rex: UInt8 = 0
  private var isVector = false
  private var isEvex = false
  private var vectorRegister: UInt8 = 0
  private var map = 0
  private var opcode: UInt8 = 0
  private var mod: UInt8 = 3
  private var reg: UInt8 = 0
  private var rm: UInt8 = 0
  private var isRelative = false

  /// Nil for bytes that are no instruction, or none that is known.
  static func decode(_ code: Bytes, at address: UInt64) -> Instruction? {
    var decoder = IntelDecoder(address: address, cursor: ByteCursor(code.prefix(UInt64(longest))))
    return decoder.run() ? decoder.instruction : nil
  }

  private init(address: UInt64, cursor: ByteCursor) {
    self.address = address
    self.cursor = cursor
  }

  private mutating func run() -> Bool {
    guard readOpcode(), let form = form else { return false }
    if form.hasModRM { readModRM() }
    // The immediate value of one of a group depends on which it is.
    var immediate = form.immediate
    if map == 0, opcode == 0xf6 || opcode == 0xf7, reg & 7 > 1 { immediate = 0 }
    let value = readImmediate(immediate)
    guard !cursor.hasFailed else { return false }
    instruction.length = UInt64(cursor.offset)
    if isRelative {
      instruction.memory = [
        MemoryOperand(displacement: instruction.memory[0].displacement &+ Int64(bitPattern: end))
      ]
    }
    if hidesMemory { instruction.memory = [] }
    describe(value)
    return true
  }

  private var end: UInt64 { address &+ instruction.length }
  private var isWide: Bool { rex & 8 != 0 }

  // MARK: - Parts

  private mutating func readOpcode() -> Bool {
    var byte = cursor.u8()
    while Self.isPrefix(byte) {
      if byte == 0x66 { has16BitOperands = true }
      if byte == 0x64 || byte == 0x65 || byte == 0x67 { hidesMemory = true }
      byte = cursor.u8()
    }
    switch byte {
    case 0xc4, 0xc5, 0x62: return readVectorPrefix(byte)
    case 0x40...0x4f:
      rex = byte & 15
      byte = cursor.u8()
    default: break
    }
    if byte == 0x0f {
      byte = cursor.u8()
      map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1
      if map > 1 { byte = cursor.u8() }
    }
    opcode = byte
    return !cursor.hasFailed
  }

  private static func isPrefix(_ byte: UInt8) -> Bool {
    [0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65].contains(byte)
  }

  private mutating func readVectorPrefix(_ byte: UInt8) -> Bool {
    isVector = true
    isEvex = byte == 0x62
    let first = cursor.u8()
    // The register bits are those of REX, inverted.
    rex = ~first >> 5 & (byte == 0xc5 ? 4 : 7)
    var last = first
    map = 1
    if byte != 0xc5 {
      map = Int(first & (isEvex ? 7 : 31))
      last = cursor.u8()
      rex |= last >> 4 & 8
    }
    vectorRegister = ~last >> 3 & 15
    if isEvex { _ = cursor.u8() }
    opcode = cursor.u8()
    return (1...3).contains(map) && !cursor.hasFailed
  }

  private mutating func readModRM() {
    let byte = cursor.u8()
    mod = byte >> 6
    reg = byte >> 3 & 7 | (rex & 4) << 1
    rm = byte & 7
    guard mod != 3 else {
      rm |= (rex & 1) << 3
      return
    }
    var operand = MemoryOperand()
    var isBased = true
    if rm == 4 {
      let byte = cursor.u8()
      let index = byte >> 3 & 7 | (rex & 2) << 2
      if index != 4 {
        operand.index = Self.dwarfNumbers[Int(index)]
        operand.scale = 1 << UInt64(byte >> 6)
      }
      rm = byte & 7
      isBased = mod != 0 || rm != 5
    } else if mod == 0, rm == 5 {
      isBased = false
      isRelative = true
    }
    if isBased { operand.base = Self.dwarfNumbers[Int(rm | (rex & 1) << 3)] }
    if mod == 1 {
      operand.displacement = Int64(Int8(bitPattern: cursor.u8()))
      if isEvex { hidesMemory = true }
    } else if mod == 2 || !isBased {
      operand.displacement = Int64(Int32(bitPattern: cursor.u32()))
    }
    instruction.memory = [operand]
  }

  private mutating func readImmediate(_ size: Int) -> Int64 {
    switch size {
    case 0: 0
    case 1: Int64(Int8(bitPattern: cursor.u8()))
    case 4: Int64(Int32(bitPattern: cursor.u32()))
    default: Int64(bitPattern: cursor.unsigned(bytes: size))
    }
  }

  // MARK: - Forms

  private typealias Form = (hasModRM: Bool, immediate: Int)

  /// An operand of 16 or 32 bits.
  private var word: Int { has16BitOperands ? 2 : 4 }

  private var form: Form? {
    switch map {
    case 0: opcode < 0x40 ? arithmeticForm : opcode < 0xc0 ? middleForm : upperForm
    case 1: secondForm
    case 2: (true, 0)
    default: (true, 1)
    }
  }

  private var arithmeticForm: Form? {
    switch opcode & 7 {
    case 0...3: (true, 0)
    case 4: (false, 1)
    case 5: (false, word)
    default: nil
    }
  }

  private var middleForm: Form? {
    switch opcode {
    case 0x50...0x5f, 0x6c...0x6f, 0x90...0x99, 0x9b...0x9f, 0xa4...0xa7, 0xaa...0xaf: (false, 0)
    case 0x63, 0x84...0x8f: (true, 0)
    case 0x68, 0xa9: (false, word)
    case 0x69, 0x81: (true, word)
    case 0x6a, 0x70...0x7f, 0xa8, 0xb0...0xb7: (false, 1)
    case 0x6b, 0x80, 0x83: (true, 1)
    case 0xb8...0xbf: (false, isWide ? 8 : word)
    default: nil
    }
  }

  private var upperForm: Form? {
    switch opcode {
    case 0xc0, 0xc1, 0xc6: (true, 1)
    case 0xc2, 0xca: (false, 2)
    case 0xc3, 0xc9, 0xcb, 0xcc, 0xcf, 0xd7, 0xec...0xef, 0xf1, 0xf4, 0xf5, 0xf8...0xfd: (false, 0)
    case 0xc7, 0xf7: (true, word)
    case 0xc8: (false, 3)
    case 0xcd, 0xe0...0xe7, 0xeb: (false, 1)
    case 0xd0...0xd3, 0xd8...0xdf, 0xfe, 0xff: (true, 0)
    case 0xe8, 0xe9: (false, 4)
    case 0xf6: (true, 1)
    default: nil
    }
  }

  private var secondForm: Form? {
    switch opcode {
    case 0x04, 0x0a, 0x0c, 0x0e, 0x0f, 0x24...0x27, 0x36, 0x39, 0x3b...0x3f: nil
    case 0x05...0x09, 0x0b, 0x30...0x37, 0x77: (false, 0)
    case 0x80...0x8f: isVector ? nil : (false, 4)
    case 0xa0...0xa2, 0xa8...0xaa, 0xc8...0xcf: isVector ? nil : (false, 0)
    case 0x70...0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6: (true, 1)
    default: (true, 0)
    }
  }
}

// MARK: - What it does

extension IntelDecoder {
  private var target: RegisterNumber { Self.dwarfNumbers[Int(rm)] }
  private var other: RegisterNumber { Self.dwarfNumbers[Int(reg)] }
  /// The register in the opcode's last three bits.
  private var coded: RegisterNumber { Self.dwarfNumbers[Int(opcode & 7 | (rex & 1) << 3)] }
  private var isMemory: Bool { mod != 3 }

  private mutating func set(_ register: RegisterNumber, _ effect: RegisterEffect) {
    instruction.effects.append((register, effect))
  }

  private mutating func clobber(_ registers: RegisterNumber...) {
    for register in registers { set(register, .unknown) }
  }

  /// Of 8 bits, the numbers 4 to 7 may be those of the second byte of the first four registers.
  private mutating func clobberNamed(_ number: UInt8) {
    clobber(Self.dwarfNumbers[Int(number)])
    if (4...7).contains(number) { clobber(Self.dwarfNumbers[Int(number & 3)]) }
  }

  private mutating func describe(_ value: Int64) {
    switch (map, opcode) {
    case (0, 0..<0x40): describeArithmetic(value)
    case (0, 0x40..<0x80), (0, 0xe0...): describeFlow(value)
    case (0, _): describeMove(value)
    case (1, _) where !isVector: describeSecond(value)
    default: describeVector()
    }
  }

  private mutating func describeArithmetic(_ value: Int64) {
    let operation = opcode >> 3
    guard operation != 7 else { return }
    switch opcode & 7 {
    case 0, 1:
      guard !isMemory else { return }
      if opcode == 0x01, isWide { return set(target, .total(target, other)) }
      clobberNamed(rm)
    case 2, 3:
      if opcode == 0x03, isWide, !isMemory { return set(other, .total(other, target)) }
      clobberNamed(reg)
    default:
      if opcode == 0x05, isWide { return set(Self.rax, .sum(Self.rax, value)) }
      clobber(Self.rax)
    }
  }

  private mutating func describeMove(_ value: Int64) {
    switch opcode {
    case 0x84, 0x85, 0xa8, 0xa9, 0x9b, 0x9e, 0xcc: if opcode == 0xcc { instruction.flow = .end }
    case 0x80...0x83: describeImmediateGroup(value)
    case 0x86, 0x87:
      clobberNamed(reg)
      if !isMemory { clobberNamed(rm) }
    case 0x88: if !isMemory { clobberNamed(rm) }
    case 0x89 where isMemory: if isWide { instruction.stored = other }
    case 0x89: set(target, isWide ? .copy(other) : .unknown)
    case 0x8a: clobberNamed(reg)
    case 0x8b: set(other, !isWide ? .unknown : isMemory ? instruction.memory.isEmpty ? .unknown : .load : .copy(target))
    case 0x8d: set(other, isWide ? instruction.memory.first.map { .address($0) } ?? .unknown : .unknown)
    case 0x8f: describeRestore(isMemory ? nil : target)
    case 0x90 where rex & 1 == 0: break
    case 0x90...0x97: clobber(Self.rax, coded)
    case 0x9c, 0x9d: clobber(Self.rsp)
    case 0xa4...0xa7, 0xaa...0xaf: describeString()
    case 0xb0...0xb7: clobberNamed(opcode & 7 | (rex & 1) << 3)
    case 0xb8...0xbf: clobber(coded)
    case 0xc0, 0xc1, 0xc6, 0xc7, 0xd0...0xd3, 0x8c: if !isMemory { clobberNamed(rm) }
    case 0xc2, 0xc3, 0xca, 0xcb, 0xcf: instruction.flow = .end
    case 0xc8: clobber(Self.rbp, Self.rsp)
    case 0xc9:
      set(Self.rsp, .sum(Self.rbp, 8))
      clobber(Self.rbp)
    default: clobber(Self.rax, Self.rdx)
    }
    if opcode == 0x8d { instruction.memory = [] }
  }

  private mutating func describeImmediateGroup(_ value: Int64) {
    guard reg & 7 != 7, !isMemory else { return }
    guard isWide, reg & 7 == 0 || reg & 7 == 5 else { return clobberNamed(rm) }
    set(target, .sum(target, reg & 7 == 0 ? value : 0 &- value))
  }

  private mutating func describeRestore(_ register: RegisterNumber?) {
    set(Self.rsp, .sum(Self.rsp, 8))
    if let register { clobber(register) }
  }

  private mutating func describeString() {
    let (source, destination) = (MemoryOperand(base: Self.rsi), MemoryOperand(base: Self.rdi))
    switch opcode {
    case 0xa4...0xa7: instruction.memory = [source, destination]
    case 0xac, 0xad: instruction.memory = [source]
    default: instruction.memory = [destination]
    }
    clobber(Self.rax, Self.rcx, Self.rsi, Self.rdi)
  }

  /// Where it goes on, and what the stack pointer is afterwards.
  private mutating func describeFlow(_ value: Int64) {
    switch opcode {
    case 0x50...0x57, 0x68, 0x6a: set(Self.rsp, .sum(Self.rsp, -8))
    case 0x58...0x5f: describeRestore(coded)
    case 0x63, 0x69, 0x6b: clobber(other)
    case 0x70...0x7f: instruction.flow = .branch(end &+ UInt64(bitPattern: value))
    case 0xe0...0xe3:
      clobber(Self.rcx)
      instruction.flow = .branch(end &+ UInt64(bitPattern: value))
    case 0xe8: instruction.flow = .call
    case 0xe9, 0xeb: instruction.flow = .jump(end &+ UInt64(bitPattern: value))
    case 0xf1, 0xf4: instruction.flow = .end
    case 0xf6, 0xf7: describeUnaryGroup()
    case 0xfe: if !isMemory { clobberNamed(rm) }
    case 0xff: describeLastGroup()
    case 0xf5, 0xf8...0xfd: break
    default: clobber(Self.rax, Self.rdx, Self.rsi, Self.rdi)
    }
  }

  private mutating func describeUnaryGroup() {
    switch reg & 7 {
    case 0, 1: break
    case 2, 3: if !isMemory { clobberNamed(rm) }
    default: clobber(Self.rax, Self.rdx)
    }
  }

  private mutating func describeLastGroup() {
    switch reg & 7 {
    case 0, 1: if !isMemory { clobber(target) }
    case 2, 3: instruction.flow = .call
    case 4, 5:
      // A method of another object in place of this one; a table of jumps has an index or is read before.
      let isTail = isMemory && instruction.memory.first.map { $0.base != nil && $0.index == nil } == true
      instruction.flow = isTail ? .end : .indirect
    case 6: set(Self.rsp, .sum(Self.rsp, -8))
    default: clobber(target)
    }
  }

  private mutating func describeSecond(_ value: Int64) {
    switch opcode {
    case 0x0b, 0xb9, 0xff: instruction.flow = .end
    case 0x80...0x8f: instruction.flow = .branch(end &+ UInt64(bitPattern: value))
    case 0x0d, 0x18...0x1f, 0x77, 0xa3, 0xc3: break
    case 0x40...0x4f, 0xaf, 0xb6, 0xb7, 0xb8, 0xbc...0xbf: clobber(other)
    case 0x90...0x9f: if !isMemory { clobberNamed(rm) }
    case 0xa0, 0xa1, 0xa8, 0xa9: clobber(Self.rsp)
    case 0xc8...0xcf: clobber(coded)
    case 0x05, 0xa2, 0x30...0x37: clobber(Self.rax, Self.rbx, Self.rcx, Self.rdx, 11)
    default: describeVector()
    }
    // Hints name memory that nothing reads.
    if [0x0d, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f].contains(opcode) { instruction.memory = [] }
  }

  /// Registers of more than 64 bits; a few instructions move what they hold into general ones.
  private mutating func describeVector() {
    let movesOut: Bool
    switch (map, opcode) {
    case (1, 0x7e), (1, 0xd7), (1, 0xc5), (1, 0x2c), (1, 0x2d), (1, 0x50): movesOut = true
    case (1, 0x10...0x17), (1, 0x28...0x2f), (1, 0x51...0x77), (1, 0x7a...0x7f), (1, 0xc2...0xc6), (1, 0xd0...0xfe):
      movesOut = false
    case (2, 0x00...0xdf): movesOut = false
    case (3, 0x14...0x17), (3, 0x60...0x63), (3, 0xf0...0xff): movesOut = true
    case (3, _): movesOut = false
    default: movesOut = true
    }
    guard movesOut else { return }
    clobberNamed(reg)
    if !isMemory { clobberNamed(rm) }
    if isVector { clobber(Self.dwarfNumbers[Int(vectorRegister)]) }
    clobber(Self.rax, Self.rcx, Self.rdx, Self.rbx)
  }
}
