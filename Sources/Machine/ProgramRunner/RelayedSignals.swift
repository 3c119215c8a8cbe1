import CLinuxCalls
import CReportTerms
import Glibc

/// A signal that arrived for us.
struct ArrivedSignal {
  var number: Int32
  var code: Int32
  var sender: pid_t

  /// Whether the program is to get it too.
  ///
  /// What the terminal sends goes to the whole process group, the program included; what a process sends to us alone
  /// does not. Two things that the kernel sends are for us alone: an alarm that was set before we were started, and
  /// the hangup that only the leader of a session gets. What the program itself sent is not sent back.
  func isForProgram(_ pid: pid_t) -> Bool {
    if code <= 0 { return sender != pid }
    if number == SIGALRM { return true }
    return (number == SIGHUP || number == SIGCONT) && getsid(0) == getpid()
  }
}

/// Takes the signals of this process one by one in place of their actions.
struct RelayedSignals {
  /// The mask before.
  let originalMask: sigset_t
  /// The same as the kernel has it, with the signals that glibc keeps for itself.
  let originalKernelMask: UInt
  /// Whether SIGCHLD was ignored before, with which there would be nothing to wait for.
  let childSignalWasIgnored: Bool
  private let taken: sigset_t

  /// Blocks all signals except those of faults of this process.
  init() {
    originalKernelMask = linux_signal_mask()
    var set = sigset_t()
    term_fill_without(&set, term_processor_faults())
    var original = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &original)
    taken = set
    originalMask = original
    var action = sigaction()
    var previous = sigaction()
    action.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(SIGCHLD, &action, &previous)
    childSignalWasIgnored =
      unsafeBitCast(previous.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Waits for the next one.
  func next() -> ArrivedSignal {
    var set = taken
    var info = siginfo_t()
    while sigwaitinfo(&set, &info) < 0 {}
    return ArrivedSignal(number: info.si_signo, code: info.si_code, sender: info._sifields._kill.si_pid)
  }

  /// Stops this process as the program was stopped, so that the shell sees the job stopped.
  func stopLike(_ program: pid_t, by number: Int32) {
    switch number {
    case SIGSTOP: stopWhileStopped(program)
    case SIGTSTP, SIGTTIN, SIGTTOU: stopBy(number)
    default: break
    }
  }

  private func stopBy(_ number: Int32) {
    let previous = signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    kill(getpid(), number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // The code goes on here after a SIGCONT.
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(number, previous)
  }

  /// SIGSTOP stops one process only, and the sender of SIGCONT may not know of this process.
  private func stopWhileStopped(_ program: pid_t) {
    let watch = linux_continue_with(program)
    guard watch >= 0 else { return }
    kill(getpid(), SIGSTOP)
    close(watch)
  }

  /// Forgets a signal that arrived and that nothing waits for any more.
  func discard(_ number: Int32) {
    let previous = signal(number, SIG_IGN)
    signal(number, previous)
  }

  /// Gives signals their actions back.
  func stop() {
    var mask = originalMask
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
