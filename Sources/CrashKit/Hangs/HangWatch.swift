import CCrashCapture

/// Watches one subject: its last heartbeat, whether that heartbeat has run, and the report of a current hang.
///
/// Only the watching thread uses it, except for the work of the heartbeat itself.
final class HangWatch: @unchecked Sendable {
  /// The data that a heartbeat writes. The bell's lock protects it.
  private struct Pulse {
    var count = 0
    var at: UInt64 = 0
    /// Whether the watching thread waits for the heartbeat. Otherwise it only looks from time to time.
    var isAwaited = true
    var isOver = false
  }

  private enum Phase {
    /// The first heartbeat has not run. Until it runs, the delay does not count as a hang.
    case starting
    /// The last heartbeat has run. The next is due at `until`, unless the subject is idle then.
    case resting(until: UInt64)
    /// The subject has a heartbeat that has not run yet. It was enqueued, or was due, at `since`.
    case waiting(since: UInt64)
    /// The heartbeat does not run, but the detector reports nothing: a debugger is attached, or too many subjects hang
    /// at once.
    case passedOver
    case hung(Hang)
  }

  private static let lookInterval: UInt64 = 1_000_000_000

  private let subject: any HangSubject
  private let times: Times
  private let bell: Bell
  private let reports: HangReports
  private var pulse = Pulse()
  private var seen = 0
  private var phase = Phase.starting
  /// When the last heartbeat was enqueued.
  private var putAt: UInt64 = 0

  init(_ subject: any HangSubject, _ times: Times, _ bell: Bell, _ reports: HangReports) {
    self.subject = subject
    self.times = times
    self.bell = bell
    self.reports = reports
  }

  /// Enqueues the first heartbeat.
  func start() { put(at: now()) }

  private func put(at time: UInt64) {
    putAt = time
    subject.put(every: times.rest) { [weak self] in self?.beat() ?? false }
  }

  /// The subject runs this heartbeat. Returns whether the watch continues.
  private func beat() -> Bool {
    var isOver = false
    bell.ring {
      isOver = pulse.isOver
      guard !isOver else { return false }
      subject.learn()
      pulse.count += 1
      pulse.at = now()
      return pulse.isAwaited
    }
    return !isOver
  }

  /// Looks after it. Returns when to do so again.
  func step(at time: UInt64) -> UInt64 {
    if subject.hasEnded {
      finish()
      return .max
    }
    let pulse = bell.locked { self.pulse }
    if pulse.count != seen {
      seen = pulse.count
      recover(at: pulse.at)
      if let next = waitForOwnBeat(after: pulse, at: time) { return next }
      phase = .resting(until: times.tick(after: putAt))
    }
    switch phase {
    case .starting, .passedOver: return time + Self.lookInterval
    case .resting(let until): return time < until ? until : goOn(at: time)
    case .hung(let hang): return hang.sample(at: time) { bell.locked { self.pulse.count } != seen }
    case .waiting(let since):
      guard time >= since + times.threshold else {
        let late = since + times.rest
        return min(time >= late ? time + times.slice : late, since + times.threshold)
      }
      begin(since: since)
      return now()
    }
  }

  /// For so long the process did not run, or next to not.
  func lose(_ time: UInt64) {
    switch phase {
    case .waiting(let since): phase = .waiting(since: max(since, now()))
    case .hung(let hang): hang.lost += time
    case .starting, .resting, .passedOver: break
    }
  }

  /// Ends the watch. A hang that still continues is not reported as ended.
  func finish() {
    let wasOver = bell.locked {
      defer { pulse.isOver = true }
      return pulse.isOver
    }
    if wasOver { return }
    subject.end()
    guard case .hung(let hang) = phase else { return }
    hang.end(at: now(), recovered: false)
    reports.give(back: hang.report)
    phase = .passedOver
  }

  private func recover(at time: UInt64) {
    bell.locked { pulse.isAwaited = false }
    guard case .hung(let hang) = phase else { return }
    hang.end(at: time, recovered: true)
    reports.give(back: hang.report)
  }

  /// Of a subject that runs its heartbeats by itself: when to look for the next one.
  private func waitForOwnBeat(after pulse: Pulse, at time: UInt64) -> UInt64? {
    guard subject.beatsItself else { return nil }
    let due = pulse.at + times.rest
    phase = .waiting(since: due)
    return max(time, due + times.rest)
  }

  /// The next heartbeat, unless nothing is there that could be held up.
  private func goOn(at time: UInt64) -> UInt64 {
    if bell.locked({ subject.isIdle }) {
      let next = times.tick(after: time)
      phase = .resting(until: next)
      return next
    }
    phase = .waiting(since: time)
    put(at: time)
    return time + times.rest
  }

  private func begin(since: UInt64) {
    bell.locked { pulse.isAwaited = true }
    guard !ck_is_traced(), let report = reports.take() else {
      phase = .passedOver
      return
    }
    let (thread, poolThreadName) = bell.locked { (subject.thread, subject.poolThreadName) }
    let hang = Hang(report, since: since)
    if hang.begin(subject, thread: thread, poolThreadName: poolThreadName, threshold: times.threshold) {
      phase = .hung(hang)
    } else {
      bell.locked { pulse.isAwaited = false }
      phase = .waiting(since: now())
      reports.give(back: report)
    }
  }
}
