import CLinuxCalls
import Glibc
import StressRunner

/// Signals as something to read: they are blocked in every thread that starts later, and come here instead. What was
/// ignored when this process was started goes on being so.
struct SignalFile {
  let descriptor: Int32
  private let signals: sigset_t

  static let ends = [SIGINT, SIGTERM, SIGHUP]

  /// To be made before there are other threads.
  init() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in Self.ends + [SIGTSTP] where !Interruption.isIgnored(number) { sigaddset(&signals, number) }
    // They do nothing to a process that does not ask for them; but once blocked, they come.
    for number in [SIGCONT, SIGWINCH, SIGCHLD] { sigaddset(&signals, number) }
    self.signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    descriptor = signalfd(-1, &signals, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
  }

  /// The signals that have come.
  func read() -> [Int32] {
    var numbers: [Int32] = []
    var info = signalfd_siginfo()
    while Glibc.read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
      numbers.append(Int32(info.ssi_signo))
    }
    return numbers
  }

  /// Lets those that end a process do so again, of themselves.
  func unblockEnds() {
    var ends = sigset_t()
    sigemptyset(&ends)
    for number in Self.ends { sigaddset(&ends, number) }
    pthread_sigmask(SIG_UNBLOCK, &ends, nil)
  }

  /// Does what the signal does by itself: stops this process, and returns when it goes on; or ends it.
  func obey(_ number: Int32) {
    signal(number, SIG_DFL)
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    raise(number)
    pthread_sigmask(SIG_UNBLOCK, &one, nil)
    pthread_sigmask(SIG_BLOCK, &one, nil)
  }
}
