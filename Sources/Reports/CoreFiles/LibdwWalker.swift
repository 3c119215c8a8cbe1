import CLibdw

/// Unwinds the stacks of x86-64 with libdw, which reads the core's memory through `CoreMemory`.
final class LibdwWalker: StackWalker {
  fileprivate let memory: CoreMemory
  fileprivate let modules: CoreModules
  /// Of the thread that is being unwound.
  fileprivate var start = Start(registers: [], pc: 0)

  /// The registers to unwind from. If a call led to no code, the frame that made it is the first to have unwind tables.
  fileprivate struct Start {
    var registers: [UInt64]
    var pc: UInt64
    var badCall: UInt64?
  }

  /// The only thread that libdw knows of, whichever of the core's it is; 0 would be none.
  fileprivate static let thread: pid_t = 1

  /// Nil where libdw cannot unwind this machine's stacks.
  init?(_ memory: CoreMemory, _ modules: CoreModules) {
    self.memory = memory
    self.modules = modules
    guard attach() else { return nil }
  }

  private func attach() -> Bool {
    // Which machine it is, libdw reads from a header: one without anything behind it.
    var header = memory.bareHeader
    return withUnsafeMutableBytes(of: &header) { bytes in
      guard let elf = elf_memory(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) else {
        return false
      }
      defer { elf_end(elf) }
      return dwfl_attach_state(
        modules.dwfl, elf, Self.thread, threadCallbacks, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  func walk(_ registers: [UInt64], into frames: FrameCollector) -> String {
    start = start(from: registers)
    if let badCall = start.badCall {
      frames.add(CoreUnwinder.Frame(address: badCall, isProgramCounter: true, byFramePointer: false))
    }
    let walk = LibdwWalk(modules, frames)
    let result = dwfl_getthread_frames(
      modules.dwfl, Self.thread, takeFrame, Unmanaged.passUnretained(walk).toOpaque())
    // libdw's stop in code that it has tables of is the end of the stack: an undefined return address says so.
    if result >= 0, let last = frames.last, modules.holds(last.target) { return "entry" }
    return modules.reason(at: frames.last, result < 0 ? dwfl_errmsg(-1).map { String(cString: $0) } : nil)
  }

  private func start(from all: [UInt64]) -> Start {
    var registers = CoreMachine.x86UnwindRegisters(all)
    let pc = CoreMachine.x86.programCounter(all)
    guard memory.segment(holding: pc)?.isExecutable != true else { return Start(registers: registers, pc: pc) }
    let sp = CoreMachine.x86.stackPointer(all)
    guard let caller = memory.word(at: sp), memory.segment(holding: caller)?.isExecutable == true else {
      return Start(registers: registers, pc: pc)
    }
    registers[7] = sp &+ 8
    registers[16] = caller
    return Start(registers: registers, pc: caller, badCall: pc)
  }
}

/// Takes libdw's frames of one stack.
private final class LibdwWalk {
  private let modules: CoreModules
  private let frames: FrameCollector

  init(_ modules: CoreModules, _ frames: FrameCollector) {
    self.modules = modules
    self.frames = frames
  }

  func take(_ state: OpaquePointer) -> Bool {
    var pc: Dwarf_Addr = 0
    var isActivation = false
    guard dwfl_frame_pc(state, &pc, &isActivation) else { return false }
    // What follows a bad call was reached by a call, though libdw starts there.
    let isFirst = frames.count == 0
    let followsUnknown = frames.last.map { !modules.holds($0.target) } == true
    let followsBadCall = frames.count == 1 && followsUnknown && frames.last?.isProgramCounter == true
    let byFramePointer = followsUnknown && !followsBadCall
    return frames.add(
      CoreUnwinder.Frame(
        address: pc, isProgramCounter: isFirst || (isActivation && !followsBadCall), byFramePointer: byFramePointer))
  }
}

/// Kept for good: libdw looks at it until its handle is ended.
private nonisolated(unsafe) let threadCallbacks = {
  let callbacks = UnsafeMutablePointer<Dwfl_Thread_Callbacks>.allocate(capacity: 1)
  callbacks.initialize(to: Dwfl_Thread_Callbacks())
  callbacks.pointee.next_thread = { _, _, _ in 0 }
  callbacks.pointee.get_thread = getThread
  callbacks.pointee.memory_read = readMemory
  callbacks.pointee.set_initial_registers = setRegisters
  return callbacks
}()

private func walker(_ argument: UnsafeMutableRawPointer?) -> LibdwWalker {
  Unmanaged<LibdwWalker>.fromOpaque(argument!).takeUnretainedValue()
}

private func getThread(
  _: OpaquePointer?, _ id: pid_t, _ argument: UnsafeMutableRawPointer?,
  _ thread: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Bool {
  guard id == LibdwWalker.thread else { return false }
  thread?.pointee = argument
  return true
}

private func readMemory(
  _: OpaquePointer?, _ address: Dwarf_Addr, _ result: UnsafeMutablePointer<Dwarf_Word>?,
  _ argument: UnsafeMutableRawPointer?
) -> Bool {
  guard let word = walker(argument).memory.word(at: address) else { return false }
  result?.pointee = word
  return true
}

private func setRegisters(_ thread: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Bool {
  guard let thread else { return false }
  let start = walker(argument).start
  guard dwfl_thread_state_registers(thread, 0, UInt32(start.registers.count), start.registers) else { return false }
  dwfl_thread_state_register_pc(thread, start.pc)
  return true
}

private func takeFrame(_ state: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  let walk = Unmanaged<LibdwWalk>.fromOpaque(argument!).takeUnretainedValue()
  guard let state, walk.take(state) else { return Int32(DWARF_CB_ABORT) }
  return Int32(DWARF_CB_OK)
}
