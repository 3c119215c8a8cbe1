import CLibdw

/// The registers and the memory that an expression of unwind tables may read.
struct FrameState {
  /// By DWARF's numbers; nil for those that are not known.
  var registers: [UInt64?]
  /// The canonical frame address if it is known already.
  var frameAddress: UInt64?
  var memory: CoreMemory
}

/// An expression of unwind tables (DWARF 5, 2.5.1), without the operations that jump.
struct FrameExpression {
  /// Operations that are kept of one expression.
  private static let mostOperations = 256
  private let operations: ArraySlice<Dwarf_Op>
  /// Whether it says what a register held, rather than where that was saved.
  let isValue: Bool

  /// Nil for an expression that is too long.
  init?(_ start: UnsafePointer<Dwarf_Op>, _ count: Int) {
    guard (1...Self.mostOperations).contains(count) else { return nil }
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    isValue = Int(all[count - 1].atom) == DW_OP_stack_value
    operations = isValue ? all.dropLast() : all[...]
  }

  /// The result; nil if an operation is not supported, or if it needs what is not known.
  func evaluate(_ state: FrameState) -> UInt64? {
    var stack: [UInt64] = []
    for operation in operations {
      guard let value = Self.apply(operation, to: &stack, state) else { return nil }
      stack.append(value)
    }
    return stack.last
  }

  /// Takes an operation's operands off the stack, and gives what it leaves there.
  private static func apply(_ operation: Dwarf_Op, to stack: inout [UInt64], _ state: FrameState) -> UInt64? {
    let atom = Int(operation.atom)
    switch atom {
    case DW_OP_lit0...DW_OP_lit31: return UInt64(atom - DW_OP_lit0)
    case DW_OP_const1u, DW_OP_const1s, DW_OP_const2u, DW_OP_const2s, DW_OP_const4u, DW_OP_const4s, DW_OP_const8u,
      DW_OP_const8s, DW_OP_constu, DW_OP_consts:
      return operation.number
    case DW_OP_breg0...DW_OP_breg31: return register(UInt64(atom - DW_OP_breg0), plus: operation.number, state)
    case DW_OP_bregx: return register(operation.number, plus: operation.number2, state)
    case DW_OP_call_frame_cfa: return state.frameAddress
    case DW_OP_dup: return stack.last
    case DW_OP_plus_uconst: return stack.popLast().map { $0 &+ operation.number }
    case DW_OP_deref: return stack.popLast().flatMap { state.memory.word(at: $0) }
    case DW_OP_neg: return stack.popLast().map { 0 &- $0 }
    case DW_OP_not: return stack.popLast().map { ~$0 }
    default:
      guard let right = stack.popLast(), let left = stack.popLast() else { return nil }
      return combine(left, right, by: atom)
    }
  }

  private static func register(_ number: UInt64, plus distance: UInt64, _ state: FrameState) -> UInt64? {
    guard number < state.registers.count else { return nil }
    return state.registers[Int(number)].map { $0 &+ distance }
  }

  private static func combine(_ left: UInt64, _ right: UInt64, by atom: Int) -> UInt64? {
    switch atom {
    case DW_OP_plus: left &+ right
    case DW_OP_minus: left &- right
    case DW_OP_mul: left &* right
    case DW_OP_and: left & right
    case DW_OP_or: left | right
    case DW_OP_xor: left ^ right
    case DW_OP_shl: left << right
    case DW_OP_shr: left >> right
    case DW_OP_eq: left == right ? 1 : 0
    case DW_OP_ne: left != right ? 1 : 0
    case DW_OP_lt: Int64(bitPattern: left) < Int64(bitPattern: right) ? 1 : 0
    case DW_OP_le: Int64(bitPattern: left) <= Int64(bitPattern: right) ? 1 : 0
    case DW_OP_gt: Int64(bitPattern: left) > Int64(bitPattern: right) ? 1 : 0
    case DW_OP_ge: Int64(bitPattern: left) >= Int64(bitPattern: right) ? 1 : 0
    default: nil
    }
  }
}
