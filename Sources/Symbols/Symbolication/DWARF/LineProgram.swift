import CLibdw

/// Runs a line table's program: the state machine of DWARF 2 to 5.
struct LineProgram {
  private(set) var rows: [LineTable.Row] = []
  private(set) var sequences: [LineTable.Sequence] = []
  /// How many more rows may be made.
  private(set) var budget: Int
  private let header: LineTableHeader
  private let code: Range<UInt64>
  private var cursor: ByteCursor

  private var address: UInt64 = 0
  private var operation: UInt64 = 0
  private var file: UInt32 = 1
  private var line: UInt32 = 1
  private var column: UInt32 = 0
  private var first = 0
  private var low: UInt64 = 0
  private var isOrdered = true
  private var addressSizeAdvance: UInt64 = 0

  init(_ header: LineTableHeader, code: Range<UInt64>, budget: Int) {
    self.header = header
    self.code = code
    self.budget = budget
    cursor = ByteCursor(header.program)
    addressSizeAdvance = (255 - UInt64(header.opcodeBase)) / header.lineRange
  }

  mutating func run() {
    let opcodeBase = header.opcodeBase
    let lineRange = header.lineRange
    let lineBase = header.lineBase
    while !cursor.isAtEnd, budget > 0 {
      let opcode = cursor.u8()
      if opcode >= opcodeBase {
        let adjusted = UInt64(opcode &- opcodeBase)
        advance(adjusted / lineRange)
        line = UInt32(truncatingIfNeeded: Int64(line) &+ lineBase &+ Int64(adjusted % lineRange))
        emit()
      } else if opcode == 0 {
        runExtended()
      } else {
        runStandard(opcode)
      }
    }
  }

  @inline(__always) private mutating func advance(_ operations: UInt64) {
    if header.operationsPerInstruction == 1 {
      address &+= header.minimumInstructionLength &* operations
    } else {
      let total = operation &+ operations
      address &+= header.minimumInstructionLength &* (total / header.operationsPerInstruction)
      operation = total % header.operationsPerInstruction
    }
  }

  private mutating func emit() {
    budget -= 1
    if rows.count == first { low = address }
    let distance = address &- low
    if address < low || distance > UInt64(UInt32.max) {
      isOrdered = false
      return
    }
    let row = LineTable.Row(distance: UInt32(distance), line: line, file: file, column: column)
    if rows.count > first, rows[rows.count - 1].distance > row.distance { isOrdered = false }
    rows.append(row)
  }

  private mutating func endSequence() {
    let high = address
    if rows.count > first, high > low, code.contains(low) {
      if !isOrdered { sortRows() }
      sequences.append(LineTable.Sequence(low: low, high: high, rows: first..<rows.count))
    } else {
      rows.removeLast(rows.count - first)
    }
    first = rows.count
    address = 0
    operation = 0
    file = 1
    line = 1
    column = 0
    isOrdered = true
  }

  private mutating func sortRows() {
    let ordered = rows[first...].enumerated().sorted {
      ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset)
    }
    rows.replaceSubrange(first..., with: ordered.map(\.element))
  }

  private mutating func runStandard(_ opcode: UInt8) {
    switch Int(opcode) {
    case DW_LNS_copy: emit()
    case DW_LNS_advance_pc: advance(cursor.uleb())
    case DW_LNS_advance_line: line = UInt32(truncatingIfNeeded: Int64(line) &+ cursor.sleb())
    case DW_LNS_set_file: file = UInt32(clamping: cursor.uleb())
    case DW_LNS_set_column: column = UInt32(clamping: cursor.uleb())
    case DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin: break
    case DW_LNS_const_add_pc: advance(addressSizeAdvance)
    case DW_LNS_fixed_advance_pc:
      address &+= UInt64(cursor.u16())
      operation = 0
    case DW_LNS_set_isa: _ = cursor.uleb()
    default:
      for _ in 0..<header.operandCounts[Int(opcode) - 1] { _ = cursor.uleb() }
    }
  }

  private mutating func runExtended() {
    let length = cursor.uleb()
    guard length > 0, length <= UInt64(cursor.remaining) else {
      if length > 0 { cursor.skip(.max) }
      return
    }
    var operand = ByteCursor(Bytes(start: cursor.pointer, count: Int(length)))
    cursor.skip(length)
    switch Int(operand.u8()) {
    case DW_LNE_end_sequence: endSequence()
    case DW_LNE_set_address:
      address = operand.unsigned(bytes: operand.remaining)
      operation = 0
    default: break
    }
  }
}
