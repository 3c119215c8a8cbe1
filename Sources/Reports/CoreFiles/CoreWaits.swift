import CLibdw
import CReportTerms
import CrashReportModel

/// What the threads of a dead process waited for, told as CrashKit tells it in a living one.
struct CoreWaits {
  /// Between the function that the program called and the system call lie a few of libc's own.
  private static let framesLookedAt = 6

  private let memory: CoreMemory
  private let machine: CoreMachine
  private let threads: [CoreNotes.Thread]
  private let modules: CoreModules
  private let functions: [String: term_wait]

  init(_ memory: CoreMemory, _ notes: CoreNotes, _ machine: CoreMachine, _ modules: CoreModules) {
    self.memory = memory
    self.machine = machine
    self.modules = modules
    threads = notes.threads
    var functions: [String: term_wait] = [:]
    while let function = term_wait_function_at(functions.count) {
      functions[String(cString: function.pointee.name)] = function.pointee.kind
    }
    self.functions = functions
  }

  /// Puts what each thread waits for into a report, and the circle that some of them form.
  func fill(_ report: inout CrashReport) {
    let ids = Set(threads.map(\.id))
    for index in report.threads?.indices ?? 0..<0 {
      guard let frames = report.threads?[index].frames,
        let call = machine.waitingCall(threads[index].registers, memory), call.number == machine.futexCall
      else { continue }
      let kind = term_wait_in_futex(function(frames), call.arguments[1])
      guard let type = term_wait_type(kind) else { continue }
      let owner = owner(kind, call.arguments[0]).flatMap { ids.contains($0) ? $0 : nil }
      guard kind != TERM_WAIT_THREAD || owner.map(UInt64.init) == call.arguments[2] else { continue }
      var wait = CrashReport.HeldLock()
      wait.address = Address(term_wait_lock(kind, call.arguments[0]))
      wait.type = String(cString: type)
      wait.mode = kind == TERM_WAIT_READ_LOCK ? "shared" : "exclusive"
      wait.owner = owner
      report.threads?[index].waitingFor = wait
    }
    report.deadlock = deadlock(report.threads ?? [])
  }

  private func function(_ frames: [CrashReport.Frame]) -> term_wait {
    for frame in frames.prefix(Self.framesLookedAt) {
      guard let address = frame.address?.value else { continue }
      let target = frame.kind == .programCounter ? address : address &- 1
      // An alias or a version of a name is as good: `__pthread_rwlock_wrlock@GLIBC_2.2.5`.
      let name = modules.function(at: target)?.drop { $0 == "_" }.prefix { $0 != "@" }
      if let name, let kind = functions[String(name)] { return kind }
    }
    return TERM_WAIT_NONE
  }

  private func owner(_ kind: term_wait, _ word: UInt64) -> Int? {
    let count = term_owner_words(kind)
    let bytes = memory.read(term_owner_place(kind, word), count * 4)
    guard count > 0, bytes.count == count * 4 else { return nil }
    let words = bytes.withUnsafeBytes { bytes in
      (0..<count).map { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
    }
    let owner = Int(term_owner(kind, words))
    return owner > 0 ? owner : nil
  }

  private func deadlock(_ threads: [CrashReport.Thread]) -> CrashReport.Deadlock? {
    let places = Dictionary(
      threads.enumerated().compactMap { index, thread in thread.id.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
    func next(_ index: Int) -> Int? { threads[index].waitingFor?.owner.flatMap { places[$0] } }
    var walks = [Int?](repeating: nil, count: threads.count)
    for start in threads.indices {
      var place: Int? = start
      while let index = place, walks[index] == nil {
        walks[index] = start
        place = next(index)
      }
      guard let first = place, walks[first] == start else { continue }
      var circle = [first]
      while let index = next(circle[circle.count - 1]), index != first { circle.append(index) }
      var deadlock = CrashReport.Deadlock()
      deadlock.steps = circle.map { index in
        var step = CrashReport.Deadlock.Step()
        step.thread = threads[index].id
        step.address = threads[index].waitingFor?.address
        step.type = threads[index].waitingFor?.type
        step.mode = threads[index].waitingFor?.mode
        step.owner = threads[index].waitingFor?.owner
        return step
      }
      return deadlock
    }
    return nil
  }
}

extension CoreMachine {
  /// The number of futex(2).
  var futexCall: Int { self == .x86 ? 202 : 98 }

  /// The system call that a thread waited in, and its first three arguments; nil if it ran.
  ///
  /// - Parameter memory: Where the instruction is that the thread was to begin with.
  func waitingCall(_ registers: [UInt64], _ memory: CoreMemory) -> (number: Int, arguments: [UInt64])? {
    switch self {
    case .x86:
      // The kernel's own codes for a call that is to be made again, or EINTR.
      let result = Int64(bitPattern: registers[10])
      guard (-516 ... -512).contains(result) || result == -4 else { return nil }
      return (Int(truncatingIfNeeded: registers[15]), [registers[14], registers[13], registers[12]])
    case .arm:
      // Before it writes a core, the kernel sets such a call up to be made again: at its instruction, svc #0.
      guard memory.load(at: registers[32]) == UInt32(0xd400_0001) else { return nil }
      return (Int(truncatingIfNeeded: registers[8]), [registers[0], registers[1], registers[2]])
    }
  }
}
