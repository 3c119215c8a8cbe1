import CLinuxCalls
import CaptureRequests
import Glibc
import LinuxCalls

/// Stops every thread of another process, by ptrace(2), and lets all of them go on.
///
/// One thread makes all calls. If that one ends, or its whole program, the kernel lets the others go on by itself.
final class ThreadStopper {
  /// A thread that stands.
  struct Standing {
    let id: pid_t
    /// The signal that was on its way to the thread, and that it goes on with; 0 for none.
    let signal: Int32
    /// Whether a signal had stopped the whole process before.
    let isGroupStop: Bool
    var registers: [UInt64] = []
  }

  /// The limit: a thread that waits in the kernel may take no signal now, and the others must not stand still for it.
  private static let patience = Duration.milliseconds(100)
  /// Nor longer than that for any thread.
  private static let longestWait = Duration.seconds(1)

  private let files: ProcessFiles
  private var known: Set<pid_t> = []
  private(set) var standing: [Standing] = []
  /// Threads that did not stop, and why.
  private(set) var unanswered: [(id: Int, reason: String)] = []
  /// When the first thread was asked to stop.
  private(set) var start = ContinuousClock.now

  init(_ files: ProcessFiles) {
    self.files = files
  }

  /// Returns when every thread stands, or is known not to stop.
  ///
  /// - Throws: `CaptureFailure` with status 77 if this user may not do it, 66 if the process has ended, 65 if it runs a
  ///   32-bit program.
  func stopAll() throws(CaptureFailure) {
    var seized = try seizeNew()
    start = ContinuousClock.now
    // A thread that was not there before may come from each one that did not stand yet.
    while !seized.isEmpty {
      for id in seized { _ = linux_trace_interrupt(id) }
      wait(for: seized)
      seized = try seizeNew()
    }
    guard !standing.isEmpty || !unanswered.isEmpty else { throw .missing }
    try readRegisters()
  }

  /// Lets all threads go on, with the signals that were on their way to them.
  ///
  /// - Returns: For how long they stood.
  func letGo() -> Duration {
    for thread in standing { _ = linux_trace_detach(thread.id, thread.signal) }
    standing = []
    return ContinuousClock.now - start
  }

  private func seizeNew() throws(CaptureFailure) -> [pid_t] {
    var seized: [pid_t] = []
    for id in files.threads() where known.insert(id).inserted {
      let code = linux_trace_seize(id)
      if code == 0 { seized.append(id) }
      // The kernel refuses a thread that has ended as it refuses one of another user.
      guard code == 0 || code == ESRCH || ProcessStatus(of: id)?.hasEnded != false else {
        throw Refusal.reason(files, code)
      }
    }
    return seized
  }

  // MARK: Waiting

  private func wait(for threads: [pid_t]) {
    var waiting = threads
    let start = ContinuousClock.now
    while true {
      waiting.removeAll(where: hasStopped)
      let time = ContinuousClock.now - start
      if time >= Self.patience { waiting.removeAll { isGivenUp($0, after: time) } }
      guard !waiting.isEmpty else { return }
      // waitpid(2) has no time limit. Most threads stand after some microseconds.
      usleep(50)
    }
  }

  /// Whether a thread stands, or has ended.
  private func hasStopped(_ id: pid_t) -> Bool {
    var (signal, isGroupStop): (Int32, Int32) = (0, 0)
    let state = linux_trace_state(id, &signal, &isGroupStop)
    if state == LINUX_TRACED_STANDS {
      standing.append(Standing(id: id, signal: signal, isGroupStop: isGroupStop != 0))
    }
    return state != LINUX_TRACED_RUNS
  }

  private func isGivenUp(_ id: pid_t, after time: Duration) -> Bool {
    let isInKernel = ProcessStatus(of: id)?.state == "D"
    guard isInKernel || time >= Self.longestWait else { return false }
    let reason = isInKernel ? "it waits in the kernel and cannot be stopped" : "it did not stop in 1 s"
    unanswered.append((Int(id), reason))
    return true
  }

  // MARK: Registers

  private func readRegisters() throws(CaptureFailure) {
    var ended: Set<pid_t> = []
    for index in standing.indices {
      var registers = [UInt64](repeating: 0, count: Processor.registerCount + 1)
      let size = linux_trace_registers(standing[index].id, &registers, UInt(registers.count * 8))
      if size < 0 {
        // It was killed meanwhile.
        ended.insert(standing[index].id)
        continue
      }
      guard size == Processor.registerCount * 8 else { throw Refusal.otherProgram }
      registers.removeLast()
      standing[index].registers = registers
      if Processor.isBrokenOff(registers) { _ = linux_trace_restart(standing[index].id) }
    }
    standing.removeAll { ended.contains($0.id) }
  }
}
