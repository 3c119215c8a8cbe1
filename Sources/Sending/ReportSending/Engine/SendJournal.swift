import CrashReportModel

/// The record of which reports of a folder were sent to one destination, and which are still to be counted.
struct SendJournal: Sendable {
  /// The result for a report.
  enum State: String, JSONRepresentable {
    case sent, rejected
    /// The report is similar to a report that was sent. It is counted, but not sent.
    case counted
    /// This version of the reader does not recognise the file as a report.
    case unread
  }

  /// The record of one file.
  struct Entry: Sendable, Hashable {
    var file: ReportFolder.File
    var state: State
    var reason: String?
    /// The version of crashsym that could not read it.
    var reader: String?
  }

  /// Reports of one fault in one minute.
  struct Fault: Sendable, Hashable {
    struct Key: Sendable, Hashable {
      var fingerprint: String
      /// Minutes since 1970.
      var minute: Int64
    }
    /// A count that is being sent. It is recorded before it is sent, so that it never changes afterwards.
    struct Batch: Sendable, Hashable {
      var id: EventID
      var count: Int
    }

    var key: Key
    var title: String
    var application: CrashReport.Application?
    /// The event of the report that was sent.
    var sent: EventID?
    /// How many reports were rejected.
    var rejected = 0
    /// How many reports are still to be counted.
    var waiting = 0
    /// How many reports are in counts that the server accepted.
    var counted = 0
    var batch: Batch?
    /// When something became of one of them, in microseconds since 1970.
    var used: Int64

    /// At most this many reports of a fault are tried if the server rejects each.
    private static let mostRejected = 3

    /// Whether the next one is only counted.
    var isFull: Bool { sent != nil || rejected >= Self.mostRejected }
  }

  /// A fault without a report for this long is forgotten, in microseconds: a day.
  private static let longestMemory: Int64 = 86_400_000_000

  private(set) var entries: [String: Entry] = [:]
  var faults: [Fault.Key: Fault] = [:]
  /// Nothing is sent before this moment, in microseconds since 1970.
  var pausedUntil: Int64 = 0
  /// How many times in a row the server took nothing.
  var failures = 0
  /// Whether what was read lacks something that was written.
  private(set) var isDamaged = false

  init() {}

  /// Whether nothing is known of a file, or of its content.
  func isNew(_ file: ReportFolder.File, reader: String) -> Bool {
    guard let entry = entries[file.name], entry.file == file else { return true }
    return entry.state == .unread && entry.reader != reader
  }

  mutating func note(_ file: ReportFolder.File, _ state: State, reason: String? = nil, reader: String? = nil) {
    entries[file.name] = Entry(file: file, state: state, reason: reason, reader: reader)
  }

  /// Lets rejected reports be tried again.
  mutating func forgetRejected() {
    entries = entries.filter { $1.state != .rejected }
    for key in faults.keys { faults[key]?.rejected = 0 }
  }

  /// Forgets files that are gone, and faults that are over.
  mutating func prune(_ files: [ReportFolder.File], now: Int64) {
    let names = Set(files.map(\.name))
    entries = entries.filter { names.contains($0.key) }
    faults = faults.filter { $1.waiting > 0 || $1.batch != nil || now - $1.used < Self.longestMemory }
  }
}

// MARK: - As JSON

extension SendJournal {
  private static let schema = "crashkit-sent/1"

  /// Reads what `bytes` wrote; `nil` for anything else. Of what is damaged, it has what can be read.
  init?(_ bytes: [UInt8]) {
    guard let outcome = try? JSONParser.parse(bytes), outcome.object["schema"] == Self.schema.json else { return nil }
    let object = outcome.object
    isDamaged = outcome.cut != nil
    pausedUntil = object["pausedUntil"].flatMap { Int(json: $0) }.map(Int64.init) ?? 0
    failures = object["failures"].flatMap { Int(json: $0) } ?? 0
    for entry in whole(object["files"], Entry.init) { entries[entry.file.name] = entry }
    for fault in whole(object["faults"], Fault.init) { faults[fault.key] = fault }
  }

  /// The members of a list that can be read.
  private mutating func whole<Member>(_ list: JSONValue?, _ read: (JSONObject) -> Member?) -> [Member] {
    guard case .array(let values) = list else {
      isDamaged = true
      return []
    }
    let members = values.compactMap { JSONObject(json: $0).flatMap(read) }
    if members.count < values.count { isDamaged = true }
    return members
  }

  /// The journal as one line of JSON.
  var bytes: [UInt8] {
    var object = JSONObject()
    object["schema"] = Self.schema.json
    object["pausedUntil"] = pausedUntil == 0 ? nil : Int(pausedUntil).json
    object["failures"] = failures == 0 ? nil : failures.json
    object["files"] = entries.values.sorted { $0.file.name < $1.file.name }.map(\.object).json
    object["faults"] =
      faults.values.sorted { ($0.key.minute, $0.key.fingerprint) < ($1.key.minute, $1.key.fingerprint) }
      .map(\.object).json
    return object.json.utf8 + [UInt8(ascii: "\n")]
  }
}

extension SendJournal.Entry {
  init?(_ object: JSONObject) {
    guard let name = object["name"].flatMap(String.init(json:)), let size = object["size"].flatMap(Int.init(json:)),
      let changed = object["changed"].flatMap(Int.init(json:)),
      let state = object["state"].flatMap(SendJournal.State.init(json:))
    else { return nil }
    file = .init(name: name, size: size, changed: Int64(changed))
    self.state = state
    reason = object["reason"].flatMap(String.init(json:))
    reader = object["reader"].flatMap(String.init(json:))
  }

  var object: JSONObject {
    var object = JSONObject()
    object["name"] = file.name.json
    object["size"] = file.size.json
    object["changed"] = Int(file.changed).json
    object["state"] = state.json
    object["reason"] = reason?.json
    object["reader"] = reader?.json
    return object
  }
}

extension SendJournal.Fault {
  init?(_ object: JSONObject) {
    guard let fingerprint = object["fingerprint"].flatMap(String.init(json:)),
      let minute = object["minute"].flatMap(Int.init(json:)), let used = object["used"].flatMap(Int.init(json:))
    else { return nil }
    key = .init(fingerprint: fingerprint, minute: Int64(minute))
    title = object["title"].flatMap(String.init(json:)) ?? fingerprint
    application = object["application"].flatMap(CrashReport.Application.init(json:))
    sent = object["sent"].flatMap(String.init(json:)).flatMap(EventID.init)
    rejected = object["rejected"].flatMap(Int.init(json:)) ?? 0
    waiting = object["waiting"].flatMap(Int.init(json:)) ?? 0
    counted = object["counted"].flatMap(Int.init(json:)) ?? 0
    self.used = Int64(used)
    if let id = object["batch"].flatMap(String.init(json:)).flatMap(EventID.init),
      let count = object["batchCount"].flatMap(Int.init(json:))
    {
      batch = Batch(id: id, count: count)
    }
  }

  var object: JSONObject {
    var object = JSONObject()
    object["fingerprint"] = key.fingerprint.json
    object["minute"] = Int(key.minute).json
    object["title"] = title.json
    object["application"] = application?.json
    object["sent"] = sent?.text.json
    object["rejected"] = rejected == 0 ? nil : rejected.json
    object["waiting"] = waiting == 0 ? nil : waiting.json
    object["counted"] = counted == 0 ? nil : counted.json
    object["batch"] = batch?.id.text.json
    object["batchCount"] = batch?.count.json
    object["used"] = Int(used).json
    return object
  }
}
