import CCrashCapture

/// The watch of one subject: which heartbeat it was given, whether that has run, and the report of a hang under way.
///
/// Used by the watchdog's thread alone, but for what the heartbeat itself does.
final class HangWatch: @unchecked Sendable {
  /// What a heartbeat leaves. Under the bell's lock.
  private struct Pulse {
    var count = 0
    var at: UInt64 = 0
    /// Whether the watchdog waits for it, and does not just look at times.
    var isAwaited = true
  }

  private enum Phase {
    /// The first heartbeat has not run: however long the program takes to come to it, that is no hang.
    case starting
    /// A heartbeat is to run. It was put there, or was due, at `since`.
    case waiting(since: UInt64)
    /// It does not run, and is not reported: it is being debugged, or too many hang at once.
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

  init(_ subject: any HangSubject, _ times: Times, _ bell: Bell, _ reports: HangReports) {
    self.subject = subject
    self.times = times
    self.bell = bell
    self.reports = reports
  }

  /// Gives it the first heartbeat.
  func start() { put() }

  private func put() {
    subject.put(every: times.rest) { [weak self] in
      guard let self else { return false }
      beat()
      return true
    }
  }

  /// Called where the subject runs it.
  private func beat() {
    bell.ring {
      subject.learn()
      pulse.count += 1
      pulse.at = now()
      return pulse.isAwaited
    }
  }

  /// Looks after it. Returns when to do so again.
  func step(at time: UInt64) -> UInt64 {
    if subject.hasEnded {
      finish(recovered: false)
      return .max
    }
    let pulse = bell.locked { self.pulse }
    if pulse.count != seen {
      seen = pulse.count
      recover(at: pulse.at)
      return goOn(after: pulse, at: time)
    }
    switch phase {
    case .starting, .passedOver: return time + Self.lookInterval
    case .hung(let hang): return hang.sample(at: time) { bell.locked { self.pulse.count } != seen }
    case .waiting(let since):
      guard time >= since + times.threshold else {
        let slice = time >= since + times.rest ? times.slice : times.rest
        return min(time + slice, since + times.threshold)
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
    case .starting, .passedOver: break
    }
  }

  /// The watch ends.
  func finish(recovered: Bool) {
    guard case .hung(let hang) = phase else { return }
    hang.end(at: now(), recovered: recovered)
    reports.give(back: hang.report)
    phase = .passedOver
  }

  private func recover(at time: UInt64) {
    guard case .hung(let hang) = phase else { return }
    hang.end(at: time, recovered: true)
    reports.give(back: hang.report)
  }

  private func goOn(after pulse: Pulse, at time: UInt64) -> UInt64 {
    bell.locked { self.pulse.isAwaited = false }
    if subject.beatsItself {
      let due = pulse.at + times.rest
      phase = .waiting(since: due)
      return max(time, due) + times.slice
    }
    phase = .waiting(since: time)
    put()
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
