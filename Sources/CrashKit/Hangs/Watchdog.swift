/// How long something may take, and how often it is looked at; in nanoseconds.
struct Times: Sendable {
  private static let least: UInt64 = 20_000_000
  private static let longestRest: UInt64 = 1_000_000_000

  let threshold: UInt64
  /// Between two heartbeats.
  let rest: UInt64
  /// Between two looks at a heartbeat that is late.
  let slice: UInt64
  /// So late the watchdog's own thread may be. If it is later, the process got next to no processor time.
  let tolerance: UInt64

  init(threshold: Duration) {
    self.threshold = max(Self.nanoseconds(of: threshold), Self.least)
    rest = min(max(self.threshold / 2, Self.least), Self.longestRest)
    slice = max(self.threshold / 4, 1_000_000)
    tolerance = max(slice / 2, 20_000_000)
  }

  /// No negative time, and at most a million seconds.
  static func nanoseconds(of duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(max(0, max(0, min(seconds, 1_000_000)) * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}

/// A thread that watches one subject or several.
final class Watchdog: @unchecked Sendable {
  private let bell = Bell()
  private let watches: [HangWatch]
  private let tolerance: UInt64

  /// Returns `nil` if CrashKit is not installed or the system refuses memory.
  init?(_ subjects: [any HangSubject], threshold: Duration) {
    guard let reports = HangReports() else { return nil }
    let times = Times(threshold: threshold)
    tolerance = times.tolerance
    watches = subjects.map { [bell] in HangWatch($0, times, bell, reports) }
  }

  /// Makes the thread.
  func start() -> Bool {
    // Not left to the thread, which may be slow to begin: what the program gives a queue from now on comes after the
    // first heartbeat, and may hang.
    for watch in watches { watch.start() }
    return OwnThread.start("crashkit.hang") { self.run() }
  }

  /// Ends the watch. From any thread, more than once.
  func stop() { bell.stop() }

  private func run() {
    while true {
      let next = watches.reduce(UInt64.max) { min($0, $1.step(at: now())) }
      if next == .max { return }
      let start = now()
      let clock = Stopwatch()
      guard bell.wait(until: next) else { break }
      let lost = clock.time(lostBeyond: next > start ? next - start : 0, tolerance: tolerance)
      if lost > 0 { for watch in watches { watch.lose(lost) } }
    }
    for watch in watches { watch.finish(recovered: false) }
  }
}
