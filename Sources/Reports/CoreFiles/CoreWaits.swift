import CLibdw
import CReportTerms
import CrashReportModel

/// What the threads of a process waited for, by its memory, read as CrashKit reads it from within.
struct CoreWaits {
  private let memory: CoreMemory
  private let machine: CoreMachine
  private let threads: [CoreNotes.Thread]
  private let modules: CoreModules
  private let functions: CoreWaitFunctions
  private let dispatch: CoreDispatchWaits

  init(_ memory: CoreMemory, _ notes: CoreNotes, _ machine: CoreMachine, _ modules: CoreModules) {
    self.memory = memory
    self.machine = machine
    self.modules = modules
    threads = notes.threads
    functions = CoreWaitFunctions(modules, machine)
    dispatch = CoreDispatchWaits(memory: memory)
  }

  /// Puts what each thread waits for into a report, and the circles that some of them form.
  func fill(_ report: inout CrashReport) {
    let ids = Set(threads.map(\.id))
    // Each access to `report.threads` decodes all of them.
    guard var listed = report.threads else { return }
    for index in listed.indices {
      guard let frames = listed[index].frames,
        let call = machine.waitingCall(threads[index].registers, instruction), machine.mayBeFutex(call.number),
        var wait = wait(of: threads[index].id, frames, call.arguments)
      else { continue }
      if let owner = wait.owner, !ids.contains(owner) { wait.owner = nil }
      guard wait.kind != TERM_WAIT_THREAD || wait.owner.map(UInt64.init) == call.arguments[2] else { continue }
      listed[index].waitingFor = section(wait)
    }
    report.threads = listed
    report.deadlock = CrashReport.Deadlock(of: listed)
  }

  /// Puts into a report of a running process what each thread did.
  func fillStates(_ report: inout CrashReport) {
    guard var listed = report.threads else { return }
    for index in listed.indices {
      let waits = machine.waitingCall(threads[index].registers, instruction) != nil
      listed[index].state = threads[index].isStopped ? "stopped" : waits ? "sleeping" : "running"
    }
    report.threads = listed
  }

  /// A core need not hold the program's code: the files do.
  private func instruction(at address: UInt64) -> UInt32? {
    if let word: UInt32 = memory.load(at: address) { return word }
    let bytes = modules.bytes(at: address, 4)
    guard bytes.count == 4 else { return nil }
    return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func wait(
    of thread: Int, _ frames: [CrashReport.Frame], _ arguments: [UInt64]
  ) -> CoreDispatchWaits.Wait? {
    let function = functions.kind(
      frames.compactMap { frame in frame.address.map { ($0.value, frame.kind != .programCounter) } })
    if let wait = dispatch.wait(of: thread, arguments, function) { return wait }
    let kind = term_wait_in_futex(function, arguments[1])
    guard kind != TERM_WAIT_NONE else { return nil }
    let lock = term_wait_lock(kind, arguments[1], arguments[0])
    let object = kind == TERM_WAIT_SEMAPHORE ? dispatch.semaphore(lock) : nil
    return .init(kind: kind, object: object ?? lock, owner: owner(kind, arguments))
  }

  private func section(_ wait: CoreDispatchWaits.Wait) -> CrashReport.HeldLock {
    var section = CrashReport.HeldLock()
    section.address = Address(wait.object)
    section.type = term_wait_type(wait.kind).map { String(cString: $0) }
    section.mode = wait.kind == TERM_WAIT_READ_LOCK ? "shared" : "exclusive"
    section.owner = wait.owner
    section.name = wait.label.flatMap(label(at:))
    return section
  }

  /// A text of the program's, or one of libdispatch's own, which a core leaves to the file.
  private func label(at address: UInt64) -> String? {
    let most = Int(TERM_LABEL_MAX)
    let written = memory.read(address, most)
    let bytes = (written.isEmpty ? modules.bytes(at: address, most) : written).prefix { $0 != 0 }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private func owner(_ kind: term_wait, _ arguments: [UInt64]) -> Int? {
    let count = term_owner_words(kind)
    let bytes = memory.read(term_owner_place(kind, arguments[1], arguments[0]), count * 4)
    guard count > 0, bytes.count == count * 4 else { return nil }
    let words = bytes.withUnsafeBytes { bytes in
      (0..<count).map { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
    }
    let owner = Int(term_owner(kind, words))
    return owner > 0 ? owner : nil
  }
}

extension CoreMachine {
  /// Whether a call is futex(2), or the one by which the kernel goes on with a wait with a time limit that a stop has
  /// interrupted: restart_syscall(2). That one has the arguments of the first.
  func mayBeFutex(_ number: Int) -> Bool { (self == .x86 ? [202, 219] : [98, 128]).contains(number) }

  /// The system call that a thread waited in, and its first three arguments; nil if it ran.
  ///
  /// - Parameter instruction: The one at an address, if it is known.
  func waitingCall(
    _ registers: [UInt64], _ instruction: (UInt64) -> UInt32?
  ) -> (number: Int, arguments: [UInt64])? {
    switch self {
    case .x86:
      // The kernel's own codes for a call that is to be made again, or EINTR.
      let result = Int64(bitPattern: registers[10])
      guard (-516 ... -512).contains(result) || result == -4 else { return nil }
      return (Int(truncatingIfNeeded: registers[15]), [registers[14], registers[13], registers[12]])
    case .arm:
      // Before it writes a core, the kernel sets such a call up to be made again: at its instruction, svc #0.
      guard instruction(registers[32]) == 0xd400_0001 else { return nil }
      return (Int(truncatingIfNeeded: registers[8]), [registers[0], registers[1], registers[2]])
    }
  }
}
