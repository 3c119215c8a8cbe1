/// Instructions of aarch64 (Arm ARM, C4): their memory, and what they do to general registers. What is not known changes
/// all registers.
struct ArmDecoder {
  private static let stackPointer: RegisterNumber = 31

  private let word: UInt32
  private let address: UInt64
  private var instruction = Instruction(length: 4)

  static func decode(_ code: Bytes, at address: UInt64) -> Instruction? {
    var cursor = ByteCursor(code)
    let word = cursor.u32()
    guard !cursor.hasFailed else { return nil }
    var decoder = ArmDecoder(word: word, address: address)
    decoder.describe()
    return decoder.instruction
  }

  private init(word: UInt32, address: UInt64) {
    self.word = word
    self.address = address
  }

  // MARK: - Fields

  private func bits(_ high: UInt32, _ low: UInt32) -> UInt32 { word >> low & (1 << (high - low + 1) - 1) }

  private func signed(_ high: UInt32, _ low: UInt32) -> Int64 {
    let width = high - low + 1
    return Int64(Int32(bitPattern: bits(high, low) << (32 - width)) >> Int32(32 - width))
  }

  private func matches(_ mask: UInt32, _ value: UInt32) -> Bool { word & mask == value }

  private var rd: RegisterNumber { RegisterNumber(bits(4, 0)) }
  private var rn: RegisterNumber { RegisterNumber(bits(9, 5)) }
  private var rm: RegisterNumber { RegisterNumber(bits(20, 16)) }
  private var isWide: Bool { bits(31, 31) == 1 }

  private func target(_ distance: Int64) -> UInt64 { address &+ UInt64(bitPattern: distance &* 4) }

  /// Register 31 of most instructions is zero, not the stack pointer.
  private mutating func set(_ register: RegisterNumber, _ effect: RegisterEffect) {
    if register != 31 { instruction.effects.append((register, effect)) }
  }

  private mutating func setStackPointerOr(_ register: RegisterNumber, _ effect: RegisterEffect) {
    instruction.effects.append((register, effect))
  }

  // MARK: - Groups

  private mutating func describe() {
    switch bits(28, 25) {
    case 0b1000, 0b1001: describeImmediate()
    case 0b1010, 0b1011: describeBranch()
    case 0b0100, 0b0110, 0b1100, 0b1110: describeMemory()
    case 0b0101, 0b1101: describeRegisters()
    case 0b0111, 0b1111: set(rd, .unknown)
    default:
      if word >> 16 == 0 { instruction.flow = .end }
      changeAll()
    }
  }

  private mutating func changeAll() {
    for register in RegisterNumber(0)...Self.stackPointer { setStackPointerOr(register, .unknown) }
  }

  private mutating func describeImmediate() {
    if matches(0x1f00_0000, 0x1000_0000) {
      let distance = signed(23, 5) << 2 | Int64(bits(30, 29))
      let isPage = isWide
      let place = Int64(bitPattern: isPage ? address & ~0xfff : address) &+ (isPage ? distance << 12 : distance)
      return set(rd, .address(MemoryOperand(displacement: place)))
    }
    if matches(0x1f80_0000, 0x1100_0000) {
      let amount = Int64(bits(21, 10)) << (bits(22, 22) == 1 ? 12 : 0)
      let effect = isWide ? RegisterEffect.sum(rn, bits(30, 30) == 1 ? -amount : amount) : .unknown
      return bits(29, 29) == 1 ? set(rd, effect) : setStackPointerOr(rd, effect)
    }
    if matches(0x1f80_0000, 0x1200_0000), bits(30, 29) != 3 { return setStackPointerOr(rd, .unknown) }
    set(rd, .unknown)
  }

  private mutating func describeBranch() {
    switch word {
    case _ where matches(0xfc00_0000, 0x1400_0000): instruction.flow = .jump(target(signed(25, 0)))
    case _ where matches(0xfc00_0000, 0x9400_0000): instruction.flow = .call
    case _ where matches(0xff00_0000, 0x5400_0000), _ where matches(0x7e00_0000, 0x3400_0000):
      instruction.flow = .branch(target(signed(23, 5)))
    case _ where matches(0x7e00_0000, 0x3600_0000): instruction.flow = .branch(target(signed(18, 5)))
    case _ where matches(0xfe00_0000, 0xd600_0000):
      instruction.flow = [0: .indirect, 1: .call][bits(23, 21) & 3] ?? .end
    case _ where matches(0xffe0_0000, 0xd420_0000): instruction.flow = .end
    case _ where matches(0xfff0_0000, 0xd530_0000): set(rd, .unknown)
    // Hints that sign return addresses.
    case _ where matches(0xffff_f000, 0xd503_2000):
      for register in [16, 17, 30] as [RegisterNumber] {
        set(register, .unknown)
      }
    case _ where matches(0xff00_0000, 0xd500_0000): break
    default: changeAll()
    }
  }

  private mutating func describeRegisters() {
    if matches(0xffe0_ffe0, 0xaa00_03e0), rm != 31 { return set(rd, .copy(rm)) }
    if matches(0xffe0_fc00, 0x8b00_0000), rn != 31, rm != 31 { return set(rd, .total(rn, rm)) }
    if matches(0xff20_0000, 0x8b00_0000), rn != 31 { return set(rd, .beyond(rn)) }
    if matches(0xffe0_0000, 0x8b20_0000) { return setStackPointerOr(rd, .beyond(rn)) }
    if matches(0x1fe0_0000, 0x0b20_0000) { return setStackPointerOr(rd, .unknown) }
    set(rd, .unknown)
  }

  // MARK: - Memory

  private mutating func describeMemory() {
    switch word {
    case _ where matches(0x3b00_0000, 0x3900_0000):
      transfer(MemoryOperand(base: rn, displacement: Int64(bits(21, 10)) << Int64(transferScale)))
    case _ where matches(0x3b00_0000, 0x3800_0000): describeSingle()
    case _ where matches(0x3a00_0000, 0x2800_0000): describePair()
    case _ where matches(0x3b00_0000, 0x1800_0000):
      instruction.memory = [MemoryOperand(displacement: Int64(bitPattern: target(signed(23, 5))))]
      if bits(26, 26) == 0 { set(rd, .unknown) }
    case _ where matches(0x3f00_0000, 0x0800_0000):
      instruction.memory = [MemoryOperand(base: rn)]
      for register in [rd, rm, RegisterNumber(bits(14, 10))] { set(register, .unknown) }
    case _ where matches(0xbe00_0000, 0x0c00_0000):
      instruction.memory = [MemoryOperand(base: rn)]
      if bits(23, 23) == 1 { setStackPointerOr(rn, .unknown) }
    default: changeAll()
    }
  }

  /// How often the bytes of a transfer are doubled.
  private var transferScale: UInt32 { bits(26, 26) == 1 ? bits(31, 30) | (bits(23, 23) << 2) : bits(31, 30) }

  private mutating func transfer(_ operand: MemoryOperand) {
    let isPrefetch = bits(26, 26) == 0 && bits(31, 30) == 3 && bits(23, 22) == 2
    guard !isPrefetch else { return }
    instruction.memory = [operand]
    let loads = bits(26, 26) == 0 && bits(23, 22) != 0
    if loads { set(rd, bits(31, 30) == 3 ? .load : .unknown) }
    if bits(26, 26) == 0, bits(23, 22) == 0, bits(31, 30) == 3, rd != 31 { instruction.stored = rd }
  }

  private mutating func describeSingle() {
    let distance = signed(20, 12)
    switch (bits(21, 21), bits(11, 10)) {
    case (0, 0), (0, 2): transfer(MemoryOperand(base: rn, displacement: distance))
    case (0, 1):
      transfer(MemoryOperand(base: rn))
      setStackPointerOr(rn, .sum(rn, distance))
    case (0, 3):
      transfer(MemoryOperand(base: rn, displacement: distance))
      setStackPointerOr(rn, .sum(rn, distance))
    case (1, 2):
      transfer(MemoryOperand(base: rn, index: rm, scale: bits(12, 12) == 1 ? 1 << UInt64(transferScale) : 1))
    case (1, 0):
      instruction.memory = [MemoryOperand(base: rn)]
      for register in [rd, rm] { set(register, .unknown) }
    default: changeAll()
    }
  }

  private mutating func describePair() {
    let isVector = bits(26, 26) == 1
    let scale = isVector ? 2 + bits(31, 30) : bits(31, 30) == 2 ? 3 : 2
    let distance = signed(21, 15) << Int64(scale)
    let mode = bits(24, 23)
    instruction.memory = [MemoryOperand(base: rn, displacement: mode == 1 ? 0 : distance)]
    if bits(22, 22) == 1, !isVector {
      set(rd, bits(31, 30) == 2 ? .load : .unknown)
      set(RegisterNumber(bits(14, 10)), .unknown)
    }
    if mode == 1 || mode == 3 { setStackPointerOr(rn, .sum(rn, distance)) }
  }
}
