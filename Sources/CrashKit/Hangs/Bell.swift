import Glibc

/// Wakes a watchdog: a lock and a condition on the monotonic clock. Waiting neither polls nor depends on Dispatch.
final class Bell: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var hasRung = false
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

  /// Runs `body` under the lock, and wakes the watchdog if `body` returns `true`.
  func ring(if body: () -> Bool) {
    pthread_mutex_lock(mutex)
    if body() {
      hasRung = true
      pthread_cond_broadcast(condition)
    }
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
    ring {
      isStopped = true
      return true
    }
  }

  /// Waits until the bell rings or `end` has come, in nanoseconds of CLOCK_MONOTONIC. Returns `false` once stopped.
  func wait(until end: UInt64) -> Bool {
    var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !hasRung && !isStopped {
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
    }
    hasRung = false
    return !isStopped
  }
}

/// The time of a clock, in nanoseconds.
func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
