import CLibdw
import Glibc

/// What unwind tables say of one instruction: how the registers of the caller are found.
struct FrameRules {
  private enum Rule {
    /// The tables say that the caller's value is lost.
    case undefined
    /// The tables have a rule that this code does not understand.
    case unreadable
    case same
    /// Stored at this distance in bytes from the canonical frame address.
    case saved(UInt64)
    /// The canonical frame address plus this number of bytes.
    case sum(UInt64)
    case register(Int)
    case expression(FrameExpression)
  }

  /// DWARF's numbers of the registers that are followed.
  static let registers = 0..<32

  /// Whether it is the code that a signal handler returns to: its caller was interrupted, and made no call.
  let isSignalFrame: Bool
  /// The register that holds where the caller goes on.
  let returnColumn: Int
  private let frameAddress: FrameExpression
  private var rules: [Rule] = []

  /// Nil if the tables say nothing of the address, or cannot be read.
  init?(_ tables: OpaquePointer, at address: UInt64) {
    var frame: OpaquePointer?
    guard dwarf_cfi_addrframe(tables, address, &frame) == 0, let frame else { return nil }
    defer { free(UnsafeMutableRawPointer(frame)) }
    var isSignalFrame = false
    let column = Int(dwarf_frame_info(frame, nil, nil, &isSignalFrame))
    var operations: UnsafeMutablePointer<Dwarf_Op>?
    var count = 0
    guard Self.registers.contains(column), dwarf_frame_cfa(frame, &operations, &count) == 0, let operations,
      let frameAddress = FrameExpression(operations, count)
    else { return nil }
    self.isSignalFrame = isSignalFrame
    returnColumn = column
    self.frameAddress = frameAddress
    rules = Self.registers.map { Self.rule(of: $0, in: frame) }
  }

  private static func rule(of register: Int, in frame: OpaquePointer) -> Rule {
    withUnsafeTemporaryAllocation(of: Dwarf_Op.self, capacity: 3) { room in
      var operations: UnsafeMutablePointer<Dwarf_Op>?
      var count = 0
      guard dwarf_frame_register(frame, Int32(register), room.baseAddress!, &operations, &count) == 0 else {
        return .unreadable
      }
      guard let operations else { return .same }
      guard count > 0 else { return .undefined }
      if count == 1, Int(operations[0].atom) == DW_OP_regx { return .register(Int(clamping: operations[0].number)) }
      return simple(operations, count) ?? FrameExpression(operations, count).map(Rule.expression) ?? .unreadable
    }
  }

  /// The rules that nearly all tables are made of, which begin with the canonical frame address.
  private static func simple(_ operations: UnsafePointer<Dwarf_Op>, _ count: Int) -> Rule? {
    guard Int(operations[0].atom) == DW_OP_call_frame_cfa else { return nil }
    let isValue = Int(operations[count - 1].atom) == DW_OP_stack_value
    switch isValue ? count - 1 : count {
    case 1: return isValue ? .sum(0) : .saved(0)
    case 2 where Int(operations[1].atom) == DW_OP_plus_uconst:
      return isValue ? .sum(operations[1].number) : .saved(operations[1].number)
    default: return nil
    }
  }

  /// Whether the tables say that nothing called this function.
  var isEntry: Bool { if case .undefined = rules[returnColumn] { true } else { false } }

  /// The caller's registers; nil if the frame itself is not found.
  func registers(above registers: [UInt64?], _ memory: CoreMemory) -> [UInt64?]? {
    var state = FrameState(registers: registers, frameAddress: nil, memory: memory)
    guard let address = frameAddress.evaluate(state) else { return nil }
    state.frameAddress = address
    return Self.registers.map { number in
      switch rules[number] {
      case .undefined, .unreadable: nil
      case .same: registers[number]
      case .saved(let distance): memory.word(at: address &+ distance)
      case .sum(let distance): address &+ distance
      case .register(let other): Self.registers.contains(other) ? registers[other] : nil
      case .expression(let expression):
        expression.isValue
          ? expression.evaluate(state) : expression.evaluate(state).flatMap { memory.word(at: $0) }
      }
    }
  }
}
