import CCrashCapture
import Glibc

/// A thread of CrashKit's own, on which no signal of the program's is handled.
enum OwnThread {
  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Starts it at work. Returns whether the system had a thread.
  ///
  /// A fork waits for the work, since the child would have no use of a lock of the Swift runtime's that the thread holds.
  static func startAtWork(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
    // Before the thread begins, which is in Swift as well.
    ck_swift_work_begins()
    let isStarted = start(name) {
      work()
      ck_swift_work_ends()
    }
    if !isStarted { ck_swift_work_ends() }
    return isStarted
  }

  /// Waits, calls C that waits or writes, or calls a function of the program's, on a thread at work: no fork waits for
  /// that.
  static func rest<Result>(_ body: () -> Result) -> Result {
    ck_swift_work_ends()
    defer { ck_swift_work_begins() }
    return body()
  }

  /// Starts it. Returns whether the system had a thread.
  static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    // A signal of faults stays open in the kernel. What is sent to the process is left to the program's threads.
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(name, run))
    let error = pthread_create(
      &thread, nil,
      { argument in
        let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
        ck_begin_own_thread(body.name)
        body.run()
        ck_end_own_thread()
        return nil
      }, body.toOpaque())
    if error != 0 {
      body.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
