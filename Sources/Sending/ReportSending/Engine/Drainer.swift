import CrashReportModel
import CrashReportReading
import Glibc

/// Sends the reports of one folder to one destination.
///
/// It records a report as sent after the server has accepted the report. It sends nothing that it cannot record. So if
/// the process is killed at any moment, no report is lost, and at most one report is sent twice, with the same id.
public final class Drainer {
  /// The result of a pass.
  public struct Outcome: Sendable, Hashable {
    /// How many reports the server accepted.
    public var sent = 0
    /// How many reports were counted but not sent, because the server already has a similar report.
    public var counted = 0
    /// How many reports the server refused forever: they are set aside, and only `--retry-rejected` sends them again.
    public var rejected = 0
    /// How many files were not reports.
    public var unread = 0
    /// Whether reports remain for a later pass.
    public var isUnfinished = false
    /// When the next work is due, in microseconds since 1970.
    public var wake: Int64?
  }

  private let folder: ReportFolder
  private let destination: any Destination
  private let transport: any Transport
  private let preparation: ReportPreparation
  private let surroundings: Surroundings
  /// The version of crashsym. A later version may read a report that this version cannot read.
  private let reader: String
  private let kind: String
  private let journalName: String
  private var lock: Int32?
  private var journal = SendJournal()

  /// - Throws: `SendFailure` if there is no such folder.
  public init(
    folder: String, destination: any Destination, transport: any Transport, preparation: ReportPreparation,
    surroundings: Surroundings, reader: String
  ) throws(SendFailure) {
    self.folder = try ReportFolder(path: folder)
    self.destination = destination
    self.transport = transport
    self.preparation = preparation
    self.surroundings = surroundings
    self.reader = reader
    kind = type(of: destination).kind
    journalName = ".sent-\(kind)-\(EventID(of: destination.identity.utf8).text.prefix(16))"
  }

  deinit { if let lock { close(lock) } }

  /// The folder's descriptor, to be watched.
  var descriptor: Int32 { folder.descriptor }

  /// Makes this process the only sender of the folder's reports to this destination.
  ///
  /// - Parameter waits: If another process is the sender, whether to wait until that process ends.
  /// - Returns: `false` if another process is the sender.
  public func begin(waits: Bool, retriesRejected: Bool = false) throws(SendFailure) -> Bool {
    guard let lock = try folder.lock(journalName + ".lock", waits: waits) else { return false }
    self.lock = lock
    if let bytes = try folder.journal(journalName) { try take(SendJournal(bytes)) }
    if retriesRejected { journal.forgetRejected() }
    return true
  }

  /// Continues from a journal; `nil` if nothing of it could be read. A damaged journal is set aside, and the reports
  /// that it lacks are sent again.
  private func take(_ read: SendJournal?) throws(SendFailure) {
    if let read { journal = read }
    guard read?.isDamaged ?? true else { return }
    let aside = journalName + ".damaged"
    try folder.rename(journalName, to: aside)
    let again = read == nil ? "all reports are" : "the reports that are missing in it are"
    surroundings.note("damaged: it was renamed to \(aside), and \(again) sent again", folder.path(of: journalName))
  }

  /// Sends the new reports.
  ///
  /// - Parameter waitsForMinutes: Similar reports are counted for each minute. If this is `true`, the count of a minute
  ///   is sent only after the end of that minute. If it is `false`, the count is sent at the end of the pass.
  public func pass(waitsForMinutes: Bool) throws(SendFailure) -> Outcome {
    var outcome = Outcome()
    let files = try folder.files()
    let start = now
    journal.prune(files, now: start)
    let new = files.filter { journal.isNew($0, reader: reader) }
    let (due, next) = counts(waitsForMinutes: waitsForMinutes, start)
    outcome.wake = next
    guard !new.isEmpty || !due.isEmpty else { return outcome }
    if isPaused(start) {
      // One that follows has said so already.
      if !waitsForMinutes { surroundings.note("nothing is sent before \(pauseEnd)", kind) }
      return unfinished(outcome)
    }
    // What cannot be noted down is not sent.
    try save()
    for file in new {
      guard try take(file.name, &outcome) else { return unfinished(outcome) }
    }
    let now = now
    let counts = counts(waitsForMinutes: waitsForMinutes, now)
    outcome.wake = counts.next
    for key in counts.due {
      guard try sendCounts(of: key) else { return unfinished(outcome) }
    }
    try save()
    return outcome
  }

  private var now: Int64 { surroundings.now().microseconds }

  /// A clock that was set back does not hold reports up for longer than a server may.
  private func isPaused(_ now: Int64) -> Bool {
    journal.pausedUntil > now && journal.pausedUntil - now <= Int64(Backoff.longestPause * 1_000_000)
  }

  private func unfinished(_ outcome: Outcome) -> Outcome {
    var outcome = outcome
    outcome.isUnfinished = true
    outcome.wake = journal.pausedUntil
    return outcome
  }

  private func save() throws(SendFailure) { try folder.replaceJournal(journalName, journal.bytes) }

  // MARK: Reports

  /// Sends a report, or counts it.
  ///
  /// - Returns: `false` if the server accepts nothing now.
  private func take(_ name: String, _ outcome: inout Outcome) throws(SendFailure) -> Bool {
    let bytes: [UInt8]
    let file: ReportFolder.File
    let owner: FileOwner
    let report: CrashReport
    do throws(ReadingError) {
      guard let read = try folder.read(name) else { return true }
      (bytes, file, owner) = read
      let reports = try ReportReader.read(bytes)
      guard reports.count == 1 else {
        throw ReadingError(.notAReport, "\(reports.count) reports in one file; send accepts one report in each file")
      }
      report = reports[0]
      // Which of its texts may leave the host, the next version knows.
      if let schema = report.schema, report.hasLaterSchema {
        throw ReadingError(.notAReport, "a report of a later version (\(schema.harmless(upTo: 40))): update crashsym")
      }
    } catch {
      return passOver(name, error, &outcome)
    }
    let (key, title) = key(of: report, file)
    if journal.faults[key]?.isFull == true {
      journal.faults[key]?.waiting += 1
      journal.faults[key]?.used = now
      journal.note(file, .counted)
      outcome.counted += 1
      return true
    }
    let event = SentEvent(id: EventID(of: bytes), .report(preparation.prepared(report)), owner: owner)
    switch send(event) {
    case .accepted:
      update(key, title, report) { $0.sent = event.id }
      journal.note(file, .sent)
      outcome.sent += 1
    case .rejected(let reason):
      update(key, title, report) { $0.rejected += 1 }
      journal.note(file, .rejected, reason: reason)
      outcome.rejected += 1
      surroundings.note("\(kind): \(reason); the report is set aside", folder.path(of: name))
    case .later: return try saveFailure()
    }
    try save()
    return !isPaused(now)
  }

  /// A file that is not a report stays in its place. An error names it once for each version of crashsym.
  private func passOver(_ name: String, _ error: ReadingError, _ outcome: inout Outcome) -> Bool {
    outcome.unread += 1
    surroundings.note(error.what, folder.path(of: name))
    if let file = folder.file(name) {
      journal.note(file, .unread, reason: error.what, reader: reader)
    }
    return true
  }

  private func key(
    of report: CrashReport, _ file: ReportFolder.File
  ) -> (key: SendJournal.Fault.Key, title: String) {
    let fingerprint = preparation.fingerprint(report)
    let moment = report.timestamp?.microseconds ?? ReportName(file.name)?.time.microseconds ?? file.changed
    let minute = max(0, moment) / 60_000_000
    return (.init(fingerprint: fingerprint.value ?? "", minute: minute), fingerprint.title)
  }

  private func update(
    _ key: SendJournal.Fault.Key, _ title: String, _ report: CrashReport, _ change: (inout SendJournal.Fault) -> Void
  ) {
    var fault = journal.faults[key] ?? .init(key: key, title: title, application: report.application, used: now)
    fault.used = now
    change(&fault)
    journal.faults[key] = fault
  }

  // MARK: Counts

  /// The faults whose counts are due, the oldest first, and when the next count is due.
  private func counts(waitsForMinutes: Bool, _ now: Int64) -> (due: [SendJournal.Fault.Key], next: Int64?) {
    var due: [SendJournal.Fault.Key] = []
    var next: Int64?
    for fault in journal.faults.values where fault.waiting > 0 || fault.batch != nil {
      let end = (fault.key.minute + 1) * 60_000_000
      // A minute that is still to come is that of a clock that was wrong.
      if waitsForMinutes, fault.batch == nil, end > now, end - now <= 60_000_000 {
        next = min(next ?? end, end)
      } else {
        due.append(fault.key)
      }
    }
    return (due.sorted { ($0.minute, $0.fingerprint) < ($1.minute, $1.fingerprint) }, next)
  }

  /// Sends the counts of a fault. A count that was being sent when a process was killed is sent first, unchanged.
  ///
  /// - Returns: `false` if the server accepts nothing now.
  private func sendCounts(of key: SendJournal.Fault.Key) throws(SendFailure) -> Bool {
    while let fault = journal.faults[key], fault.waiting > 0 || fault.batch != nil {
      guard try sendCount(of: fault) else { return false }
    }
    return true
  }

  private func sendCount(of fault: SendJournal.Fault) throws(SendFailure) -> Bool {
    var fault = fault
    let batch = fault.batch ?? .init(id: countID(of: fault), count: fault.waiting)
    if fault.batch == nil {
      fault.waiting = 0
      fault.batch = batch
      journal.faults[fault.key] = fault
      try save()
    }
    let count = LoopCount(
      fingerprint: fault.key.fingerprint, title: fault.title, count: batch.count, sent: fault.sent,
      minute: Timestamp(microsecondsSince1970: fault.key.minute * 60_000_000), application: fault.application)
    switch send(SentEvent(id: batch.id, .count(count))) {
    case .accepted: break
    case .rejected(let reason):
      surroundings.note("\(kind): \(reason); a count of \(counted(batch.count, "report")) is dropped", folder.path)
    case .later: return try saveFailure()
    }
    fault.counted += batch.count
    fault.batch = nil
    fault.used = now
    journal.faults[fault.key] = fault
    try save()
    return !isPaused(now)
  }

  /// Other folders may have counts of the same fault and minute: the event that was sent separates them.
  private func countID(of fault: SendJournal.Fault) -> EventID {
    let parts = [
      "count", fault.sent?.text ?? folder.path, fault.key.fingerprint, String(fault.key.minute), String(fault.counted),
    ]
    return EventID(of: parts.joined(separator: "\n").utf8)
  }

  // MARK: One request

  private func send(_ event: SentEvent) -> Verdict {
    let moment = surroundings.now()
    let verdict: Verdict
    var asked: Double?
    do throws(TransportFailure) {
      let request = destination.request(for: event, now: moment, isSmall: false)
      var response = try transport.send(request)
      if response.status == 413 {
        let smaller = destination.request(for: event, now: moment, isSmall: true)
        if smaller.body.count < request.body.count { response = try transport.send(smaller) }
      }
      verdict = destination.verdict(on: response)
      asked = destination.pause(after: response, now: moment)
    } catch {
      verdict = .later(error.what)
      if error.isStop { return verdict }
    }
    if case .later(let reason) = verdict {
      journal.failures += 1
      pause(Backoff.seconds(failures: journal.failures, asked: asked, chance: surroundings.chance()))
      surroundings.note("\(reason); reports are kept, nothing is sent before \(pauseEnd)", kind)
    } else {
      journal.failures = 0
      journal.pausedUntil = 0
      if let asked, asked > 0 { pause(Backoff.seconds(failures: 0, asked: asked, chance: 0)) }
    }
    return verdict
  }

  private var pauseEnd: String { Timestamp(microsecondsSince1970: journal.pausedUntil).text }

  private func pause(_ seconds: Double) { journal.pausedUntil = now + Int64(seconds * 1_000_000) }

  private func saveFailure() throws(SendFailure) -> Bool {
    try save()
    return false
  }
}
