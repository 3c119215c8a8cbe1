import CCrashCapture
import CReportTerms
import Dispatch
import Glibc

extension CrashKit {
  /// Watches a queue and reports when it stops running what it is given.
  ///
  /// A thread of its own puts a heartbeat on the queue every half threshold (at least 20 ms, at most a second) and waits
  /// for it to run. Where it does not within the threshold, that is a hang: a report of all threads is written at once, of
  /// the kind `hang`, and the hung thread is sampled every 50 ms; each 20 samples the interval doubles; 128 are kept. When
  /// the queue runs again, the report is written anew in the place of the first, with the hang's length. A process that is
  /// killed while it hangs leaves the first one. One line on stderr names the report; `CRASHKIT_OPTIONS=summary=no` leaves
  /// it out.
  ///
  /// No hang is reported while the process is stopped, suspended or traced by a debugger, nor where it gets so little
  /// processor time that this thread itself is late, nor before the queue has run its first heartbeat, which `start` puts
  /// on it. A queue that the program suspends looks hung. Nothing is symbolicated, and no thread is held up.
  public final class HangDetector: Sendable {
    private let watch: QueueWatch

    private init(_ watch: QueueWatch) { self.watch = watch }

    /// Starts to watch a queue. Several detectors may run, on one queue or on several. May be called from any thread.
    ///
    /// - Parameters:
    ///   - threshold: how long the queue may take to run something; at least 20 ms.
    ///   - queue: a serial queue, the main queue by default.
    /// - Returns: the detector; `nil` where CrashKit is not installed or the system refuses memory or a thread. It goes on
    ///   until `stop()`, also where nobody keeps it.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), queue: DispatchQueue = .main
    ) -> HangDetector? {
      let (seconds, attoseconds) = threshold.components
      let nanoseconds = max(0, min(seconds, 1_000_000)) * 1_000_000_000 + attoseconds / 1_000_000_000
      let watch = QueueWatch(queue, threshold: max(UInt64(max(0, nanoseconds)), QueueWatch.leastThreshold))
      return watch.start() ? HangDetector(watch) : nil
    }

    /// Stops watching. A hang under way is reported as not recovered. May be called from any thread, more than once.
    public func stop() { watch.heartbeat.stop() }
  }
}

/// The watchdog of one queue.
private final class QueueWatch: @unchecked Sendable {
  static let leastThreshold: UInt64 = 20_000_000
  private static let longestRest: UInt64 = 1_000_000_000
  private static let firstInterval: UInt64 = 50_000_000
  private static let samplesPerInterval = 20

  let heartbeat = Heartbeat()
  private let queue: DispatchQueue
  private let owner: QueueOwner
  private let threshold: UInt64
  private var report: OpaquePointer?
  private var lastBeat: UInt64 = 0

  init(_ queue: DispatchQueue, threshold: UInt64) {
    self.queue = queue
    self.owner = QueueOwner(queue)
    self.threshold = threshold
  }

  deinit { if let report { ck_hang_close(report) } }

  /// Makes the thread, with all signals of the program's blocked on it.
  func start() -> Bool {
    report = ck_hang_open()
    guard report != nil else { return false }
    // Not left to the thread, which may be slow to begin: whatever the program gives the queue from now on comes after
    // the first heartbeat, and may hang.
    beat()
    var all = sigset_t()
    var before = sigset_t()
    term_fill_without(&all, term_handled_signals())
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let kept = Unmanaged.passRetained(self)
    let error = pthread_create(
      &thread, nil,
      { watch in
        let watch = Unmanaged<QueueWatch>.fromOpaque(watch!).takeRetainedValue()
        ck_begin_own_thread("crashkit.hang")
        watch.run()
        ck_end_own_thread()
        return nil
      }, kept.toOpaque())
    if error != 0 {
      kept.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run() {
    let rest = min(max(threshold / 2, Self.leastThreshold), Self.longestRest)
    // However long the program takes to come to its queue for the first time.
    while heartbeat.wait(for: lastBeat, nanoseconds: Self.longestRest) == .timedOut {}
    while heartbeat.wait(for: nil, nanoseconds: rest) == .timedOut {
      beat()
      guard let start = waitForHang() else { continue }
      if ck_is_traced() {
        while heartbeat.wait(for: lastBeat, nanoseconds: Self.longestRest) == .timedOut {}
      } else {
        watchHang(since: start)
      }
    }
  }

  private func beat() {
    lastBeat += 1
    let number = lastBeat
    queue.async { [heartbeat, owner] in
      heartbeat.locked { owner.learn() }
      heartbeat.didRun(number)
    }
  }

  /// Waits until the heartbeat has run. Where it has not for the whole threshold, with this thread on time throughout,
  /// that is a hang; returns when it began.
  private func waitForHang() -> UInt64? {
    var start = Heartbeat.now(CLOCK_MONOTONIC)
    let slice = max(threshold / 4, 1_000_000)
    while Heartbeat.now(CLOCK_MONOTONIC) - start < threshold {
      let clock = Stopwatch()
      guard heartbeat.wait(for: lastBeat, nanoseconds: slice) == .timedOut else { return nil }
      if clock.time(lostBeyond: slice) > 0 { start = Heartbeat.now(CLOCK_MONOTONIC) }
    }
    return start
  }

  /// At once, since a process that hangs is likely to be killed.
  private func say(_ subject: UnsafePointer<CChar>, _ result: ck_live_result) {
    guard result.error == 0, let path = CrashKit.text(of: result.path) else { return }
    CrashKit.say("\(String(cString: subject)) has not run for \(threshold / 1_000_000) ms: \(path)")
  }

  /// Samples until the queue runs again or the watch ends.
  private func watchHang(since start: UInt64) {
    let thread = heartbeat.locked { owner.thread }
    var result = ck_live_result()
    let isMain = queue.label == DispatchQueue.main.label
    let label = isMain ? "main" : queue.label
    label.withCString { label in
      (isMain ? "main queue" : "queue \(queue.label)").withCString { subject in
        var facts = ck_hang_facts(
          queue: label, subject: subject, thread: thread ?? 0, threshold_ns: threshold, started_ns: start)
        ck_hang_begin(report, &facts, &result)
        say(subject, result)
      }
    }
    var interval = Self.firstInterval
    var samples = 0
    var lost: UInt64 = 0
    while true {
      let clock = Stopwatch()
      let outcome = heartbeat.wait(for: lastBeat, nanoseconds: interval)
      if outcome != .timedOut {
        let end = outcome == .ran ? heartbeat.lastRunAt : Heartbeat.now(CLOCK_MONOTONIC)
        ck_hang_end(report, end > start + lost ? end - start - lost : 0, outcome == .ran, &result)
        return
      }
      let late = clock.time(lostBeyond: interval)
      lost += late
      if late > 0 { continue }
      // On a busy machine it may have run by the time that its thread was asked.
      if ck_hang_sample(report), heartbeat.wait(for: lastBeat, nanoseconds: 0) == .ran { ck_hang_forget_sample(report) }
      samples += 1
      if samples % Self.samplesPerInterval == 0 { interval *= 2 }
    }
  }
}

/// Tells a wait that was as long as it was meant to be from one in which the process did not run.
private struct Stopwatch {
  private let monotonic = Heartbeat.now(CLOCK_MONOTONIC)
  private let withSleep = Heartbeat.now(CLOCK_BOOTTIME)

  /// The time for which this thread, and so the process, was stopped, suspended with the machine, or had no processor.
  /// CLOCK_MONOTONIC does not count the machine's sleep.
  func time(lostBeyond expected: UInt64) -> UInt64 {
    let took = Heartbeat.now(CLOCK_MONOTONIC) - monotonic
    let slept = Heartbeat.now(CLOCK_BOOTTIME) - withSleep > took + 50_000_000
    let tolerance = max(expected / 2, 20_000_000)
    if took > expected + tolerance { return took - expected }
    return slept ? 1 : 0
  }
}
