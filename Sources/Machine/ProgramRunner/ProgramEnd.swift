import CLinuxCalls
import Glibc

/// How a program ended.
public enum ProgramEnd: Sendable, Hashable {
  /// The program exited with this status.
  case exited(Int32)
  /// A signal killed the program.
  case killed(signal: Int32)

  /// Reads a status of waitpid(2); `nil` if the process has not ended.
  public init?(waitStatus status: Int32) {
    if status & 0x7F == 0 {
      self = .exited(status >> 8 & 0xFF)
    } else if status & 0xFF != 0x7F {
      self = .killed(signal: status & 0x7F)
    } else {
      return nil
    }
  }

  /// Ends this process in the same way: with the same status, or by the same signal. It writes no core dump of this
  /// process.
  ///
  /// The kernel does not let PID 1 die of its own signal. As PID 1, this process exits with status 128 plus the
  /// signal's number.
  public func repeatInThisProcess() -> Never {
    switch self {
    case .exited(let status): exit(status)
    case .killed(let signalNumber):
      fflush(nil)
      // A core pattern that is a pipe is not held back by the limit.
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      linux_forbid_core_dumps()
      signal(signalNumber, SIG_DFL)
      var mask = sigset_t()
      sigemptyset(&mask)
      sigaddset(&mask, signalNumber)
      pthread_sigmask(SIG_UNBLOCK, &mask, nil)
      kill(getpid(), signalNumber)
      _exit(128 + signalNumber)
    }
  }
}
