/// How long something may take, and how often it is looked at; in nanoseconds.
struct Times: Sendable {
  private static let least: UInt64 = 20_000_000
  private static let longestRest: UInt64 = 1_000_000_000

  let threshold: UInt64
  /// Between two heartbeats.
  let rest: UInt64
  /// Between two looks at a heartbeat that is late.
  let slice: UInt64
  /// So late the watching thread may be. If it is later, the process got next to no processor time.
  let tolerance: UInt64

  init(threshold: Duration) {
    self.threshold = max(Self.nanoseconds(of: threshold), Self.least)
    rest = min(max(self.threshold / 2, Self.least), Self.longestRest)
    slice = max(self.threshold / 4, 1_000_000)
    tolerance = max(slice / 2, 20_000_000)
  }

  /// When the next heartbeat is put. Subjects with one threshold, or with multiples of it, have theirs at one moment: the
  /// thread wakes once for all of them.
  func tick(after time: UInt64) -> UInt64 { (time / rest + 1) * rest }

  /// No negative time, and at most a million seconds.
  static func nanoseconds(of duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(max(0, max(0, min(seconds, 1_000_000)) * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}

/// The watches of one detector: of one subject or several, with one threshold.
final class Watchdog: @unchecked Sendable {
  private let thread: WatchThread
  private let watches: [HangWatch]
  private let tolerance: UInt64

  /// Returns `nil` if CrashKit is not installed or the system refuses memory.
  init?(_ subjects: [any HangSubject], threshold: Duration, on thread: WatchThread = .shared) {
    guard let reports = HangReports() else { return nil }
    let times = Times(threshold: threshold)
    self.thread = thread
    tolerance = times.tolerance
    watches = subjects.map { HangWatch($0, times, thread.bell, reports) }
  }

  /// Begins the watch. Returns whether there is a thread for it.
  func start() -> Bool {
    // Not left to the thread, which may be slow to begin: what the program gives a queue from now on comes after the
    // first heartbeat, and may hang.
    for watch in watches { watch.start() }
    return thread.add(self)
  }

  /// Ends the watch. From any thread, more than once.
  func stop() { thread.remove(self) }

  // MARK: On the watching thread

  /// Looks after the subjects. Returns when to do so again; `UInt64.max` if all have ended.
  func step() -> UInt64 { watches.reduce(.max) { min($0, $1.step(at: now())) } }

  /// The thread has waited, for `expected` nanoseconds or until the bell rang.
  func rested(for expected: UInt64, by clock: Stopwatch.Reading) {
    let lost = clock.time(lostBeyond: expected, tolerance: tolerance)
    if lost > 0 { for watch in watches { watch.lose(lost) } }
  }

  func finish() { for watch in watches { watch.finish() } }
}
