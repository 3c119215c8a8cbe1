import Glibc

/// What a queue and its watchdog tell each other: that a heartbeat has run, and that the watch ends.
///
/// A lock and a condition of its own, on the monotonic clock: waiting neither polls nor depends on Dispatch.
final class Heartbeat: @unchecked Sendable {
  enum Outcome {
    case ran, timedOut, stopped
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var lastRun: UInt64 = 0
  private var runAt: UInt64 = 0
  private var isStopped = false

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Says that heartbeat `number` has run.
  func didRun(_ number: UInt64) {
    pthread_mutex_lock(mutex)
    lastRun = number
    runAt = Self.now(CLOCK_MONOTONIC)
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Runs `body` under the lock.
  func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Ends the watch.
  func stop() {
    pthread_mutex_lock(mutex)
    isStopped = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// When the last heartbeat ran, in nanoseconds of CLOCK_MONOTONIC.
  var lastRunAt: UInt64 { locked { runAt } }

  /// Waits until heartbeat `number` has run, the watch ends, or the time is up. Without a number, only for the end.
  func wait(for number: UInt64?, nanoseconds: UInt64) -> Outcome {
    let end = Self.now(CLOCK_MONOTONIC) + nanoseconds
    var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if isStopped { return .stopped }
      if let number, lastRun >= number { return .ran }
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT {
        if isStopped { return .stopped }
        return number.map { lastRun >= $0 } == true ? .ran : .timedOut
      }
    }
  }

  static func now(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
