/// Registers by DWARF's numbers: 0 to 15 on x86-64, 0 to 31 on aarch64.
typealias RegisterNumber = UInt8

/// The memory that an instruction reads or writes: the sum of its parts.
struct MemoryOperand: Hashable {
  /// Absent in an operand that is an address of its own, such as one relative to the program counter.
  var base: RegisterNumber?
  var index: RegisterNumber?
  var scale: UInt64 = 1
  /// The address itself if there is no base.
  var displacement: Int64 = 0
}

/// What an instruction does to one register, as far as the way of a pointer needs it.
enum RegisterEffect: Hashable {
  /// A pointer is read from the instruction's memory.
  case load
  /// The address of the memory is computed.
  case address(MemoryOperand)
  case copy(RegisterNumber)
  /// The value of a register plus a constant.
  case sum(RegisterNumber, Int64)
  /// The sum of two registers.
  case total(RegisterNumber, RegisterNumber)
  /// A register plus an unknown amount.
  case beyond(RegisterNumber)
  case unknown
}

/// Where the processor goes on.
enum ControlFlow: Hashable {
  case next
  case branch(UInt64)
  case jump(UInt64)
  case call
  /// A return, a trap, or a tail call of another function.
  case end
  /// To an address that only the running program knows.
  case indirect
}

/// One machine instruction, as far as the way of a pointer needs it.
struct Instruction {
  var length: UInt64
  /// The memory that it reads or writes, if it names any. Instructions that copy memory name two.
  var memory: [MemoryOperand] = []
  var effects: [(register: RegisterNumber, effect: RegisterEffect)] = []
  var flow = ControlFlow.next
  /// The register whose whole value is written to the memory, if that is all that it does.
  var stored: RegisterNumber?

  /// What a load reads.
  var source: MemoryOperand? { memory.first }
}

/// What differs between processors.
struct Processor {
  let registerCount: Int
  let stackPointer: RegisterNumber
  let framePointer: RegisterNumber
  /// From the stack pointer at a function's entry to the canonical frame address.
  let entryDistance: Int64
  /// What a call may change. In Swift it may change the register of the error too.
  let changedByCall: [RegisterNumber]
  let errorRegister: RegisterNumber
  /// As reports name them; some have two names.
  let names: [[String]]
  let decode: @Sendable (_ code: Bytes, _ address: UInt64) -> Instruction?

  static let x86 = Processor(
    registerCount: 16, stackPointer: 7, framePointer: 6, entryDistance: 8,
    changedByCall: [0, 1, 2, 4, 5, 8, 9, 10, 11], errorRegister: 12,
    names: [
      ["rax"], ["rdx"], ["rcx"], ["rbx"], ["rsi"], ["rdi"], ["rbp"], ["rsp"], ["r8"], ["r9"], ["r10"], ["r11"],
      ["r12"], ["r13"], ["r14"], ["r15"],
    ], decode: { IntelDecoder.decode($0, at: $1) })

  static let arm = Processor(
    registerCount: 32, stackPointer: 31, framePointer: 29, entryDistance: 0,
    changedByCall: (0...18) + [30], errorRegister: 21,
    names: (0...28).map { ["x\($0)"] } + [["x29", "fp"], ["x30", "lr"], ["sp"]],
    decode: { ArmDecoder.decode($0, at: $1) })

  /// Nil for a machine whose instructions are not known.
  init?(machine: UInt16) {
    switch machine {
    case 62: self = .x86
    case 183: self = .arm
    default: return nil
    }
  }

  private init(
    registerCount: Int, stackPointer: RegisterNumber, framePointer: RegisterNumber, entryDistance: Int64,
    changedByCall: [RegisterNumber], errorRegister: RegisterNumber, names: [[String]],
    decode: @escaping @Sendable (Bytes, UInt64) -> Instruction?
  ) {
    self.registerCount = registerCount
    self.stackPointer = stackPointer
    self.framePointer = framePointer
    self.entryDistance = entryDistance
    self.changedByCall = changedByCall
    self.errorRegister = errorRegister
    self.names = names
    self.decode = decode
  }
}
