import Symbolication

/// Unwinds the stacks of AArch64: by unwind tables, through what the kernel saves for a signal, else by frame records.
///
/// libdw's own unwinding does not know signatures of return addresses. It also needs tables of the kernel's code that
/// handlers return to, and there are none.
final class ArmWalker: StackWalker {
  private static let framePointer = 29
  private static let link = 30
  fileprivate static let stackPointer = 31
  private static let programCounter = 32
  /// `mov x8, #139; svc #0`, rt_sigreturn, with which the code begins that handlers return to.
  private static let signalReturn: UInt64 = 0xd400_0001_d280_1168
  /// From the stack pointer that a handler was called with to the registers of what it interrupted: `siginfo`, then
  /// `ucontext` up to its registers, of which the address of a fault is first (arch/arm64/kernel/signal.c).
  private static let savedRegisters: UInt64 = 128 + 176 + 8
  /// From that stack pointer to the frame record that the kernel makes above it: `siginfo`, `ucontext` and room for
  /// 4,096 bytes of other registers. Programs that use vectors beyond 128 bits have more.
  private static let signalRecord: UInt64 = 128 + 176 + 288 + 4_096
  /// Bits that no address has low enough to lack them (CONFIG_ARM64_VA_BITS).
  private static let signatureBits: UInt64 = ~0 << 36
  /// Bits that a jump to an address ignores: the program counter has none of them (TCR_EL1.TBI0).
  private static let ignoredBits: UInt64 = 0xff << 56
  /// Steps in one stack that lead no further out. Code that moves to another stack makes some; a circle makes no end.
  private static let mostStepsInwards = 64
  /// Signals that are followed in one stack: what they interrupted may need symbols, which take time.
  private static let mostSignals = 1_024
  /// Places that are kept.
  private static let mostPlaces = 16_384

  /// A frame, with the registers that are known there.
  private struct Position {
    var registers: [UInt64?]
    var pc: UInt64
    var isInterrupted: Bool
    var byFramePointer = false
    /// No frame further out has a record below this address.
    var floor: UInt64 = 0

    var stackPointer: UInt64? { registers[ArmWalker.stackPointer] }

    var frame: CoreUnwinder.Frame {
      CoreUnwinder.Frame(address: pc, isProgramCounter: isInterrupted, byFramePointer: byFramePointer)
    }
  }

  private enum Step {
    case caller(Position)
    case end(String)
  }

  /// What is known of an instruction.
  private struct Place {
    var rules: FrameRules?
    var isSignalReturn: Bool
  }

  private let memory: CoreMemory
  private let modules: CoreModules
  private let functions: FunctionStarts
  private let codeMask: UInt64
  /// By the address of the instruction.
  private var places: [UInt64: Place] = [:]

  /// - Parameter codeMask: The bits of a code address that may hold a signature; 0 if the core does not say.
  init(_ memory: CoreMemory, _ modules: CoreModules, _ functions: FunctionStarts, codeMask: UInt64) {
    self.memory = memory
    self.modules = modules
    self.functions = functions
    self.codeMask = codeMask & Self.signatureBits
  }

  func walk(_ registers: [UInt64], into frames: FrameCollector) -> String {
    var position = Position(
      registers: Array(registers.prefix(Self.programCounter)), pc: registers[Self.programCounter], isInterrupted: true,
      floor: registers[Self.stackPointer])
    var (signals, stepsInwards) = (0, 0)
    while frames.add(position.frame) {
      switch step(from: position) {
      case .caller(let next):
        if next.pc == position.pc, let stackPointer = next.stackPointer, stackPointer == position.stackPointer {
          return modules.reason(at: position.frame, "the stack goes round in a circle")
        }
        if let inner = position.stackPointer, let outer = next.stackPointer, outer <= inner { stepsInwards += 1 }
        guard stepsInwards <= Self.mostStepsInwards else {
          return modules.reason(at: position.frame, "the stack goes round in a circle")
        }
        if next.isInterrupted { signals += 1 }
        guard signals <= Self.mostSignals else {
          return modules.reason(at: position.frame, "too many nested signals")
        }
        position = next
      case .end(let reason): return reason
      }
    }
    return "too many frames"
  }

  private func step(from position: Position) -> Step {
    if position.isInterrupted, !isCode(position.pc) { return stepFromBadCall(position) }
    let place = place(of: position)
    if place.isSignalReturn { return stepFromSignal(position) }
    guard let rules = place.rules else { return stepWithoutTables(position, nil) }
    guard !rules.isEntry else { return .end("entry") }
    guard let registers = rules.registers(above: position.registers, memory),
      let address = registers[rules.returnColumn]
    else { return stepWithoutTables(position, "the core lacks the memory to which the unwind tables point") }
    // A thread's first function may sign it too.
    guard !bare(address).contains(0) else { return .end("entry") }
    return .caller(
      Position(
        registers: registers, pc: withoutSignature(address), isInterrupted: rules.isSignalFrame,
        floor: max(position.floor, registers[Self.stackPointer] ?? 0)))
  }

  private func end(at position: Position, _ reason: String?) -> Step {
    .end(modules.reason(at: position.frame, reason))
  }

  // MARK: Places

  private func place(of position: Position) -> Place {
    let target = position.frame.target
    if let known = places[target] { return known }
    if places.count >= Self.mostPlaces { places.removeAll(keepingCapacity: true) }
    let word = memory.word(at: position.pc) ?? modules.load(at: position.pc)
    let place = Place(rules: modules.rules(at: target), isSignalReturn: word == Self.signalReturn)
    places[target] = place
    return place
  }

  private func isCode(_ address: UInt64) -> Bool {
    // gdb's gcore leaves out mappings whose contents the file has.
    memory.segment(holding: address)?.isExecutable ?? modules.holds(address)
  }

  /// An address without its signature. Only what leads to code then is taken for a signed one.
  private func withoutSignature(_ address: UInt64) -> UInt64 {
    isCode(address) ? address : bare(address).first(where: isCode) ?? address
  }

  /// What an address may be without its signature. A core of another program than the kernel may lack the mask.
  private func bare(_ address: UInt64) -> [UInt64] {
    codeMask == 0 ? SignedAddresses.withoutSignature(address) : [address & ~codeMask]
  }

  private func codeAddress(_ address: UInt64?) -> UInt64? {
    address.map(withoutSignature).flatMap { isCode($0) ? $0 : nil }
  }

  // MARK: Steps without unwind tables

  /// A call through a bad pointer has put its return address into the link register, and done nothing else. After a
  /// return to a bad address, that is in the link register too. A signature that was wrong has changed one of its bits,
  /// in both or in the program counter alone.
  private func stepFromBadCall(_ position: Position) -> Step {
    let ignored = codeMask == 0 ? Self.signatureBits : codeMask | Self.ignoredBits
    guard let link = position.registers[Self.link], link != 0, (link ^ position.pc) & ~ignored != 0 else {
      return end(at: position, nil)
    }
    var caller = position
    caller.pc = withoutSignature(link)
    caller.isInterrupted = false
    return .caller(caller)
  }

  private func stepFromSignal(_ position: Position) -> Step {
    let saved = position.stackPointer.map(savedRegisters) ?? savedRegisters(ofRecordAt: position)
    guard let saved, let pc = saved[Self.programCounter] else {
      return end(at: position, "the core lacks the signal's frame")
    }
    let registers = Array(saved.dropLast())
    return .caller(
      Position(registers: registers, pc: pc, isInterrupted: true, floor: registers[Self.stackPointer] ?? 0))
  }

  private func savedRegisters(above stackPointer: UInt64) -> [UInt64?] {
    (0...UInt64(Self.programCounter)).map { memory.word(at: stackPointer &+ Self.savedRegisters &+ 8 &* $0) }
  }

  /// Those below the record that the frame pointer leads to, if both say the same.
  private func savedRegisters(ofRecordAt position: Position) -> [UInt64?]? {
    guard let record = position.registers[Self.framePointer] else { return nil }
    let saved = savedRegisters(above: record &- Self.signalRecord)
    let isSame =
      saved[Self.framePointer] == memory.word(at: record) && saved[Self.link] == memory.word(at: record &+ 8)
    return isSame ? saved : nil
  }

  /// The frame pointer leads to the caller's frame pointer and return address. Code that was interrupted may not have
  /// put them there yet, or at all. The caller's stack pointer is not known then.
  ///
  /// - Parameter failure: What was wrong with the unwind tables, if there are some.
  private func stepWithoutTables(_ position: Position, _ failure: String?) -> Step {
    guard isCode(position.frame.target) else { return end(at: position, nil) }
    let framePointer = position.registers[Self.framePointer]
    let recorded = framePointer.flatMap { memory.word(at: $0 &+ 8) }
    if position.isInterrupted, let link = codeAddress(position.registers[Self.link]),
      link != recorded.map(withoutSignature), !functions.areOfOneFunction(link &- 1, position.pc)
    {
      var caller = position
      caller.pc = link
      caller.isInterrupted = false
      caller.byFramePointer = true
      return .caller(caller)
    }
    guard let framePointer, framePointer % 8 == 0, framePointer >= position.floor,
      let above = memory.word(at: framePointer), let pc = codeAddress(recorded)
    else { return end(at: position, failure) }
    var registers = [UInt64?](repeating: nil, count: position.registers.count)
    registers[Self.framePointer] = above
    return .caller(
      Position(registers: registers, pc: pc, isInterrupted: false, byFramePointer: true, floor: framePointer &+ 16))
  }
}
