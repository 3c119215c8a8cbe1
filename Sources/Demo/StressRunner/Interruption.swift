import CLinuxCalls
import Glibc
import Synchronization

/// Ends the run early after SIGINT or SIGTERM.
public final class Interruption: Sendable {
  /// Readable, and left so, once the wish was made.
  let descriptor: Int32
  private let writing: Int32
  private let number = Atomic<Int32>(0)

  public init() {
    var pipe: [Int32] = [-1, -1]
    _ = linux_pipe(&pipe)
    descriptor = pipe[0]
    writing = pipe[1]
  }

  /// The signal that arrived; `nil` if none has arrived.
  public var signal: Int32? {
    let number = number.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Begins to wait for the signals. Signals that were ignored at the start of this process stay ignored. Call it
  /// before you start other threads, because those threads would otherwise get the signals.
  public func listen() {
    var wanted = Self.wanted
    pthread_sigmask(SIG_BLOCK, &wanted, nil)
    var thread = pthread_t()
    let kept = Unmanaged.passRetained(self)
    let error = pthread_create(
      &thread, nil,
      { interruption in
        let interruption = Unmanaged<Interruption>.fromOpaque(interruption!).takeUnretainedValue()
        var wanted = Interruption.wanted
        var number: Int32 = 0
        while sigwait(&wanted, &number) != 0 {}
        interruption.happen(number)
        return nil
      }, kept.toOpaque())
    if error != 0 { kept.release() } else { pthread_detach(thread) }
  }

  private static var wanted: sigset_t {
    var wanted = sigset_t()
    sigemptyset(&wanted)
    for number in [SIGINT, SIGTERM] where !isIgnored(number) { sigaddset(&wanted, number) }
    return wanted
  }

  /// Whether a signal is ignored. `nohup` starts a program with ignored signals, and a shell does the same if it starts
  /// a program in the background.
  public static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  func happen(_ signal: Int32) {
    number.store(signal, ordering: .relaxed)
    _ = writeWhole("!", to: writing)
  }
}
