import CrashReportModel

/// Reports with the same fingerprint. A group uses a limited amount of memory, however many reports it has.
public struct ReportGroup: Sendable, Hashable {
  /// The fingerprint that they share.
  public let fingerprint: CrashReport.Fingerprint
  /// How many reports the group has.
  public private(set) var count = 0
  /// The earliest known time.
  public private(set) var firstSeen: Timestamp?
  /// The latest known time.
  public private(set) var lastSeen: Timestamp?
  /// The number of reports of each program.
  public private(set) var programs = Tally()
  /// The number of reports of each version of the application, if the reports name one.
  public private(set) var versions = Tally()
  /// The number of reports of each host, if the reports name one.
  public private(set) var hosts = Tally()
  /// The number of reports of each test, if tests ran.
  public private(set) var tests = Tally()
  /// The report that represents the group.
  public private(set) var representative: Representative

  /// A report that represents its group.
  public struct Representative: Sendable, Hashable {
    /// Where the report is: the path of its file. If the file has several reports, the number of the report or of its
    /// line follows.
    public var source: String
    /// The time of the report.
    public var timestamp: Timestamp?
    /// Whether the report is complete. It is not complete if a part of it was cut short, or if the functions or lines
    /// of an image could not be found.
    public var isComplete: Bool

    /// Why this report represents the group.
    public var reason: String { isComplete ? "the latest complete one" : "the latest; none is complete" }

    /// Whether it shows more than another one does, or the same more lately.
    func isBetter(than other: Representative) -> Bool {
      if isComplete != other.isComplete { return isComplete }
      guard let time = timestamp, let otherTime = other.timestamp else { return timestamp != nil }
      return time != otherTime ? time > otherTime : source < other.source
    }
  }

  init(_ summary: ReportSummary) {
    fingerprint = summary.fingerprint
    representative = summary.representative
    add(summary)
  }

  mutating func add(_ summary: ReportSummary) {
    count += 1
    if let time = summary.representative.timestamp {
      firstSeen = firstSeen.map { min($0, time) } ?? time
      lastSeen = lastSeen.map { max($0, time) } ?? time
    }
    if let program = summary.program { programs.add(program) }
    if let version = summary.version { versions.add(version) }
    if let host = summary.host { hosts.add(host) }
    if let test = summary.test { tests.add(test) }
    if summary.representative.isBetter(than: representative) { representative = summary.representative }
  }

  /// The group as `crashsym group --format json` writes it.
  public var json: JSONValue {
    var object = JSONObject()
    object["fingerprint"] = fingerprint.value?.json
    object["title"] = fingerprint.title.json
    object["class"] = fingerprint.eventClass?.json
    object["functions"] = fingerprint.functions?.json
    object["count"] = count.json
    object["firstSeen"] = firstSeen?.json
    object["lastSeen"] = lastSeen?.json
    object["programs"] = programs.json
    object["versions"] = versions.json
    object["hosts"] = hosts.json
    object["tests"] = tests.json
    var shown = JSONObject()
    shown["source"] = representative.source.json
    shown["timestamp"] = representative.timestamp?.json
    shown["why"] = representative.reason.json
    object["representative"] = shown.json
    return object.json
  }
}

/// Counts the reports of each name. The number of names is limited: the reports of all further names have one common
/// count.
public struct Tally: Sendable, Hashable {
  /// The limit of names that are counted separately.
  static let mostNames = 100

  private var counts: [String: Int] = [:]
  /// The number of reports whose names are beyond the limit.
  public private(set) var others = 0

  /// The names, the most frequent first.
  public var names: [(name: String, count: Int)] {
    counts.map { (name: $0.key, count: $0.value) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0.name < $1.name
    }
  }

  mutating func add(_ name: String) {
    if counts[name] == nil, counts.count >= Self.mostNames {
      others += 1
    } else {
      counts[name, default: 0] += 1
    }
  }

  var json: JSONValue {
    var object = JSONObject(members: names.map { .init(key: $0.name, value: $0.count.json) })
    // No name is empty.
    if others > 0 { object[""] = others.json }
    return object.json
  }
}
