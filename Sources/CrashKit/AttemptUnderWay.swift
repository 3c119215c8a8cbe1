import Glibc
import PreviousRuns

/// The notes of the report that is being handed over, for a process that ends meanwhile because it wants to: that is no
/// death. Only one report at a time is handed over.
enum AttemptUnderWay {
  private struct State {
    var names: [String] = []
    var directory: ReportDirectory?
    var isExiting = false
  }

  // Guarded by the mutex, whose address must not change.
  nonisolated(unsafe) private static var state = State()
  nonisolated(unsafe) private static let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    return mutex
  }()
  /// The process that hands over reports. A forked child has a copy of the mutex, perhaps locked by a thread that does
  /// not exist in the child.
  private static let process: pid_t = {
    atexit { AttemptUnderWay.takeBack() }
    return getpid()
  }()

  /// Makes the files longer by a byte.
  ///
  /// - Returns: `false` if the process is about to exit: then nothing is begun.
  static func begin(_ names: [String], in directory: ReportDirectory) throws(SystemError) -> Bool {
    _ = process
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !state.isExiting else { return false }
    for name in names { try directory.lengthen(name) }
    state.names = names
    state.directory = directory
    return true
  }

  /// Says that the attempt is over.
  static func end() {
    pthread_mutex_lock(mutex)
    state.names = []
    pthread_mutex_unlock(mutex)
  }

  private static func takeBack() {
    guard process == getpid() else { return }
    pthread_mutex_lock(mutex)
    for name in state.names { state.directory?.shorten(name) }
    state.names = []
    state.isExiting = true
    pthread_mutex_unlock(mutex)
  }
}
