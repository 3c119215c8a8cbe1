import CLibdw
import Glibc
import Symbolication

/// Unwinds the threads of a core with libdw, which is given the files that were found and checked, and the core's
/// memory through `CoreMemory`: left to itself it would open whatever paths stand in the core.
final class CoreUnwinder {
  struct Frame {
    var address: UInt64
    /// Whether this is where the thread was, rather than where a call returns to.
    var isProgramCounter: Bool
    var byFramePointer: Bool
  }

  struct Stack {
    var top: [Frame] = []
    var omitted = 0
    var bottom: [Frame] = []
    /// `entry`, or why the stack could not be followed to there.
    var end = "entry"
  }

  /// Frames that are kept at either end of a stack.
  static let framesAtTop = 256
  static let framesAtBottom = 128
  /// Frames that are followed in one stack, and in all together.
  static let framesWalked = 1 << 20
  static let framesOfAll = 8 << 20

  fileprivate let memory: CoreMemory
  fileprivate let machine: CoreMachine
  fileprivate let threads: [CoreNotes.Thread]
  private let images: [CoreImage]
  private let dwfl: OpaquePointer
  private let callbacks: UnsafeMutablePointer<Dwfl_Callbacks>
  private let threadCallbacks: UnsafeMutablePointer<Dwfl_Thread_Callbacks>
  private let vdso: VdsoImage?
  private var budget = CoreUnwinder.framesOfAll

  /// Nil where libdw cannot unwind this machine's stacks.
  init?(
    _ memory: CoreMemory, _ notes: CoreNotes, _ images: [CoreImage], _ machine: CoreMachine, _ search: ImageFileSearch
  ) {
    self.memory = memory
    self.machine = machine
    self.images = images
    threads = notes.threads
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(to: Dwfl_Callbacks())
    // Of files, only those are read that are given here; of debug files, none.
    callbacks.pointee.find_elf = findKernelImage
    callbacks.pointee.find_debuginfo = { _, _, _, _, _, _, _, _ in -1 }
    threadCallbacks = .allocate(capacity: 1)
    threadCallbacks.initialize(to: Dwfl_Thread_Callbacks())
    threadCallbacks.pointee.next_thread = { _, _, _ in 0 }
    threadCallbacks.pointee.get_thread = getThread
    threadCallbacks.pointee.memory_read = readMemory
    threadCallbacks.pointee.set_initial_registers = setRegisters
    _ = elf_version(UInt32(EV_CURRENT))
    guard let dwfl = dwfl_begin(callbacks) else { return nil }
    self.dwfl = dwfl
    vdso = images.first(where: \.isKernelProvided).flatMap { VdsoImage($0, memory) }
    report(search)
    guard attach() else { return nil }
  }

  deinit {
    dwfl_end(dwfl)
    callbacks.deallocate()
    threadCallbacks.deallocate()
  }

  private func report(_ search: ImageFileSearch) {
    dwfl_report_begin(dwfl)
    for image in images where !image.isKernelProvided {
      guard let path = search.path(of: image.reference), let descriptor = ImageFileSearch.open(path) else { continue }
      // libdw closes the descriptor, but not where it fails.
      if dwfl_report_elf(dwfl, image.name, path, descriptor, image.base, false) == nil { close(descriptor) }
    }
    if let vdso, let module = dwfl_report_module(dwfl, "[vdso]", vdso.image.base, vdso.image.end) {
      var data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
      if dwfl_module_info(module, &data, nil, nil, nil, nil, nil, nil) != nil {
        data?.pointee = Unmanaged.passUnretained(vdso).toOpaque()
      }
    }
    dwfl_report_end(dwfl, nil, nil)
  }

  private func attach() -> Bool {
    // Which machine it is, libdw reads from a header: one without anything behind it.
    var header = memory.bareHeader
    return withUnsafeMutableBytes(of: &header) { bytes in
      guard let elf = elf_memory(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) else {
        return false
      }
      defer { elf_end(elf) }
      return dwfl_attach_state(dwfl, elf, 1, threadCallbacks, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// The stack of a thread, by its place among the threads.
  func stack(of index: Int) -> Stack {
    let walk = StackWalk(self, limit: min(Self.framesWalked, budget))
    if let badCall = start(of: index).badCall {
      walk.add(Frame(address: badCall, isProgramCounter: true, byFramePointer: false))
    }
    // libdw takes 0 for no thread.
    let result = dwfl_getthread_frames(
      dwfl, Int32(index + 1), takeFrame, Unmanaged.passUnretained(walk).toOpaque())
    budget -= walk.count
    var stack = walk.stack
    if walk.isAtLimit {
      stack.end = "too many frames"
    } else if result < 0 || !isEntry(walk.last) {
      stack.end = reason(at: walk.last, result < 0 ? dwfl_errmsg(-1).map { String(cString: $0) } : nil)
    }
    return stack
  }

  /// The registers to unwind from. Where a call led to no code, the frame that made it is the first to have unwind tables.
  fileprivate func start(of index: Int) -> (registers: [UInt64], pc: UInt64, badCall: UInt64?) {
    let all = threads[index].registers
    var registers = machine.unwindRegisters(all)
    let pc = machine.programCounter(all)
    guard memory.segment(holding: pc)?.isExecutable != true else { return (registers, pc, nil) }
    if let link = machine.linkRegister(all) {
      return memory.segment(holding: link)?.isExecutable == true ? (registers, link, pc) : (registers, pc, nil)
    }
    let sp = machine.stackPointer(all)
    guard let caller = memory.word(at: sp), memory.segment(holding: caller)?.isExecutable == true else {
      return (registers, pc, nil)
    }
    registers[7] = sp &+ 8
    registers[16] = caller
    return (registers, caller, pc)
  }

  fileprivate func hasFile(_ frame: Frame) -> Bool {
    dwfl_addrmodule(dwfl, frame.isProgramCounter ? frame.address : frame.address &- 1) != nil
  }

  private func image(of frame: Frame) -> CoreImage? {
    let target = frame.isProgramCounter ? frame.address : frame.address &- 1
    return images.first { $0.base <= target && target < $0.end }
  }

  /// Whether libdw's stop at a frame is the end of the stack: the tables say so, by an undefined return address.
  private func isEntry(_ frame: Frame?) -> Bool { frame.map(hasFile) ?? false }

  private func reason(at frame: Frame?, _ failure: String?) -> String {
    guard let frame else { return failure ?? "no frame at all" }
    guard let image = image(of: frame) else { return "no binary at \(hex(frame.address))" }
    if !hasFile(frame) { return "no file of \(image.name) to read its unwind tables from" }
    return failure ?? "no unwind tables at \(hex(frame.address))"
  }

  private func hex(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }
}

/// Collects a stack's frames.
private final class StackWalk {
  private(set) var stack = CoreUnwinder.Stack()
  private(set) var count = 0
  private(set) var last: CoreUnwinder.Frame?
  private let limit: Int
  private let unwinder: CoreUnwinder
  private var ring: [CoreUnwinder.Frame] = []

  init(_ unwinder: CoreUnwinder, limit: Int) {
    self.unwinder = unwinder
    self.limit = limit
  }

  var isAtLimit: Bool { count >= limit }

  /// Whether another frame is wanted.
  @discardableResult
  func add(_ frame: CoreUnwinder.Frame) -> Bool {
    guard !isAtLimit else { return false }
    count += 1
    last = frame
    if stack.top.count < CoreUnwinder.framesAtTop {
      stack.top.append(frame)
    } else {
      stack.bottom.append(frame)
      // Dropped many at a time, as each costs as much as all that stay.
      if stack.bottom.count == 2 * CoreUnwinder.framesAtBottom {
        stack.bottom.removeFirst(CoreUnwinder.framesAtBottom)
        stack.omitted += CoreUnwinder.framesAtBottom
      }
    }
    return true
  }

  func take(_ state: OpaquePointer) -> Bool {
    var pc: Dwarf_Addr = 0
    var isActivation = false
    guard dwfl_frame_pc(state, &pc, &isActivation) else { return false }
    // What follows a bad call was reached by a call, though libdw starts there.
    let isFirst = count == 0
    let followsBadCall = count == 1 && stack.top[0].isProgramCounter && !unwinder.hasFile(stack.top[0])
    let byFramePointer = !isFirst && !followsBadCall && last.map { !unwinder.hasFile($0) } == true
    return add(
      CoreUnwinder.Frame(
        address: pc, isProgramCounter: isFirst || (isActivation && !followsBadCall), byFramePointer: byFramePointer))
  }
}

/// The vDSO's own file, which the core has whole.
private final class VdsoImage {
  let image: CoreImage
  private let bytes: UnsafeMutableRawBufferPointer

  init?(_ image: CoreImage, _ memory: CoreMemory) {
    let contents = memory.read(image.base, Int(min(image.end - image.base, 1 << 20)))
    guard contents.count >= 64 else { return nil }
    self.image = image
    bytes = .allocate(byteCount: contents.count, alignment: 16)
    bytes.copyBytes(from: contents)
  }

  deinit { bytes.deallocate() }

  func open() -> OpaquePointer? { elf_memory(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) }
}

private func unwinder(_ argument: UnsafeMutableRawPointer?) -> CoreUnwinder {
  Unmanaged<CoreUnwinder>.fromOpaque(argument!).takeUnretainedValue()
}

private func findKernelImage(
  _: OpaquePointer?, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: UnsafePointer<CChar>?, _: Dwarf_Addr,
  _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ elf: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let pointer = data?.pointee else { return -1 }
  elf?.pointee = Unmanaged<VdsoImage>.fromOpaque(pointer).takeUnretainedValue().open()
  return -1
}

private func getThread(
  _: OpaquePointer?, _ id: pid_t, _ argument: UnsafeMutableRawPointer?,
  _ thread: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Bool {
  guard id > 0, Int(id) <= unwinder(argument).threads.count else { return false }
  thread?.pointee = argument
  return true
}

private func readMemory(
  _: OpaquePointer?, _ address: Dwarf_Addr, _ result: UnsafeMutablePointer<Dwarf_Word>?,
  _ argument: UnsafeMutableRawPointer?
) -> Bool {
  guard let word = unwinder(argument).memory.word(at: address) else { return false }
  result?.pointee = word
  return true
}

private func setRegisters(_ thread: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Bool {
  guard let thread else { return false }
  let unwinder = unwinder(argument)
  let start = unwinder.start(of: Int(dwfl_thread_tid(thread)) - 1)
  guard dwfl_thread_state_registers(thread, 0, UInt32(start.registers.count), start.registers) else { return false }
  dwfl_thread_state_register_pc(thread, start.pc)
  return true
}

private func takeFrame(_ state: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  let walk = Unmanaged<StackWalk>.fromOpaque(argument!).takeUnretainedValue()
  guard let state, walk.take(state) else { return Int32(DWARF_CB_ABORT) }
  return Int32(DWARF_CB_OK)
}
