/// The thread that all detectors share. It lives as long as one of them watches something.
final class WatchThread: @unchecked Sendable {
  static let shared = WatchThread()

  let bell = Bell()
  // Under the bell's lock.
  private var watchdogs: [Watchdog] = []
  private var stopped: [Watchdog] = []
  private var isThere = false

  /// Lets the thread look after a watchdog. Returns `false` if the system has no thread.
  func add(_ watchdog: Watchdog) -> Bool {
    var isWatched = false
    bell.ring {
      // Under the lock, so that no watchdog is added to a thread that does not come to be.
      isThere = isThere || OwnThread.startAtWork("crashkit.hang") { self.run() }
      isWatched = isThere
      if isWatched { watchdogs.append(watchdog) }
      return isWatched
    }
    return isWatched
  }

  /// Ends the watch of a watchdog: the thread does it. May be called more than once.
  func remove(_ watchdog: Watchdog) {
    bell.ring {
      guard let index = watchdogs.firstIndex(where: { $0 === watchdog }) else { return false }
      stopped.append(watchdogs.remove(at: index))
      return true
    }
  }

  private func run() {
    while let watchdogs = next() {
      var moment = UInt64.max
      for watchdog in watchdogs {
        let due = watchdog.step()
        if due == .max { remove(watchdog) }
        moment = min(moment, due)
      }
      let start = now()
      let clock = Stopwatch()
      _ = OwnThread.rest { bell.wait(until: moment) }
      let reading = clock.reading
      for watchdog in watchdogs { watchdog.rested(for: moment > start ? moment - start : 0, by: reading) }
    }
  }

  /// Those that are watched; `nil` if the thread is to end.
  private func next() -> [Watchdog]? {
    let ended = bell.locked {
      defer { stopped = [] }
      return stopped
    }
    for watchdog in ended { watchdog.finish() }
    return bell.locked {
      isThere = !watchdogs.isEmpty || !stopped.isEmpty
      return isThere ? watchdogs : nil
    }
  }
}
