import CCrashCapture

/// A hang under way: its report, and its samples.
final class Hang {
  private static let firstInterval: UInt64 = 50_000_000
  private static let samplesPerInterval = 20

  let report: OpaquePointer
  /// For how long the process did not run meanwhile.
  var lost: UInt64 = 0
  private let start: UInt64
  private var interval = Hang.firstInterval
  private var next: UInt64 = 0
  private var samples = 0

  init(_ report: OpaquePointer, since start: UInt64) {
    self.report = report
    self.start = start
  }

  /// Writes the report at once, since a process that hangs is likely to be killed. Returns `false` if it is no hang.
  func begin(_ subject: any HangSubject, thread: Int32?, poolThreadName: String?, threshold: UInt64) -> Bool {
    var result = ck_live_result()
    let words = subject.words
    let isHang = subject.name.withCString { name in
      words.withCString { words in
        (poolThreadName ?? "").withCString { poolThreadName in
          var facts = ck_hang_facts(
            subject: subject.kind.code, name: name, words: words, thread: thread ?? 0, thread_name: poolThreadName,
            threshold_ns: threshold, started_ns: start)
          return OwnThread.rest { ck_hang_begin(report, &facts, &result) }
        }
      }
    }
    next = now() + interval
    if isHang, result.error == 0, let path = CrashKit.text(of: result.path) {
      CrashKit.say("\(words) has not run for \(threshold / 1_000_000) ms: \(path)")
    }
    return isHang
  }

  /// Takes the next sample if it is due. Returns when to come again. `isOver` says whether the subject runs again: on a
  /// busy machine it may have run by the time that its thread was asked.
  func sample(at time: UInt64, isOver: () -> Bool) -> UInt64 {
    guard time >= next else { return next }
    if OwnThread.rest({ ck_hang_sample(report) }), isOver() { ck_hang_forget_sample(report) }
    samples += 1
    if samples % Self.samplesPerInterval == 0 { interval *= 2 }
    next = now() + interval
    return next
  }

  func end(at time: UInt64, recovered: Bool) {
    var result = ck_live_result()
    let length = time > start + lost ? time - start - lost : 0
    OwnThread.rest { ck_hang_end(report, length, recovered, &result) }
  }
}

/// The memory of reports of one watchdog. One is kept ready, since memory may be what the program lacks.
final class HangReports {
  /// At most this many subjects may hang at once and have a report each.
  private static let most = 8

  private var spare: OpaquePointer?
  private var taken = 0

  /// Returns `nil` if CrashKit is not installed or the system refuses memory.
  init?() {
    guard let report = ck_hang_open() else { return nil }
    spare = report
  }

  deinit { if let spare { ck_hang_close(spare) } }

  func take() -> OpaquePointer? {
    guard taken < Self.most, let report = spare ?? ck_hang_open() else { return nil }
    spare = nil
    taken += 1
    return report
  }

  func give(back report: OpaquePointer) {
    taken -= 1
    if spare == nil { spare = report } else { ck_hang_close(report) }
  }
}
