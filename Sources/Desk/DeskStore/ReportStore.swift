#if Desk
  import CrashReportModel

  /// The desk's store of reports. The server and the pages do not depend on its database.
  public protocol ReportStore: LateSymbolStore, ReceivingStore {
    /// Stores reports. When this returns, reports without an error survive the end of the process and a loss of power.
    func take(_ reports: [ArrivedReport]) -> [Result<Taken, any Error>]

    /// Returns the groups that a query selects, for one page of the inbox.
    func groups(_ query: GroupQuery) throws -> GroupList

    /// One group, or `nil` if there is no such group.
    func group(_ fingerprint: String, now: Timestamp) throws -> StoredGroup?

    /// The reports of a group, the newest first.
    func reports(of fingerprint: String, limit: Int, offset: Int) throws -> [StoredReport]

    /// One report, or `nil` if there is no such report.
    func report(_ id: ReportID) throws -> StoredReport?

    /// The next newer and the next older report of a report's group.
    func neighbours(of id: ReportID) throws -> Neighbours

    /// The bytes of a report as they arrived, or `nil` if there is no such report.
    func bytes(of id: ReportID) throws -> [UInt8]?

    /// Sets the state of a group. Returns `false` if there is no such group.
    func setState(_ state: GroupState, of fingerprint: String, now: Timestamp) throws -> Bool

    /// The notes that people wrote about a group, the oldest first.
    func notes(of fingerprint: String) throws -> [Note]

    /// Adds a note. Returns `false` if there is no such group.
    func addNote(_ text: String, to fingerprint: String, now: Timestamp) throws -> Bool

    /// Values of attributes that are more frequent in the group than in all reports, the largest difference first.
    func frequentValues(of fingerprint: String) throws -> [FrequentValue]

    /// The rules that lead to a group or away from it, the oldest first.
    func rules(of fingerprint: String) throws -> [GroupRule]

    /// Adds a rule and applies it. Returns `false` if one of the rule's groups does not exist, or if the rules would
    /// then lead from the source group back to it.
    func addRule(_ rule: GroupRule, now: Timestamp) throws -> Bool

    /// Removes a rule and its effect. Returns the rule, or `nil` if there is no such rule.
    func removeRule(_ number: Int64) throws -> GroupRule?

    /// Records that a program started. Returns `false` if the start is already recorded.
    func addStart(_ start: ProgramStart) throws -> Bool

    /// The starts and crashes of each version in the last 30 days.
    func shares(now: Timestamp) throws -> [VersionShare]

    /// Removes the reports beyond the limits of `retention`. Returns how many it removed.
    func remove(_ retention: Retention, now: Timestamp) throws -> Int

    /// The numbers of reports and groups in the store.
    func totals(now: Timestamp) throws -> Totals
  }

  /// Whether an incoming report was new.
  public enum Acceptance: Sendable, Hashable {
    /// The store had the report before.
    case known
    /// The store did not have the report before, and has it now.
    case new
  }

  /// The changes that an incoming report caused.
  public struct Taken: Sendable, Hashable {
    /// Whether the store had the report before.
    public var acceptance: Acceptance
    /// The group to which it belongs.
    public var group: String
    /// The change of the group, if the change needs an alert; otherwise `nil`.
    public var news: GroupNews?

    /// Describes the change in a group.
    public init(_ acceptance: Acceptance, in group: String, news: GroupNews? = nil) {
      (self.acceptance, self.group, self.news) = (acceptance, group, news)
    }
  }

  /// An event that is worth an alert. A muted group has no news.
  public enum GroupNews: Sendable, Hashable {
    /// The report is the first one of its group.
    case new
    /// The report's group was resolved, and is open again.
    case regressed
    /// The report is the count of a crash loop.
    case loop
  }

  extension ReportStore {
    /// Stores a report. When this returns, the report survives the end of the process and a loss of power.
    public func take(_ report: ArrivedReport) throws -> Taken { try take([report])[0].get() }

    /// Stores a report as ``take(_:)`` does, and returns whether it was new.
    @discardableResult
    public func accept(_ report: ArrivedReport) throws -> Acceptance { try take(report).acceptance }
  }

  /// An incoming report, with its data for searching and counting.
  public struct ArrivedReport: Sendable {
    /// The id of the report.
    public var id: ReportID
    /// The bytes as they arrived.
    public var bytes: [UInt8]
    /// The fingerprint of its group.
    public var fingerprint: String
    /// The title of its group.
    public var title: String
    /// The time of the event. If the report has no time, this is the time at which the report arrived.
    public var time: Timestamp
    /// How many crashes this report represents. It is 1 for a crash report. If ``isCount`` is `true`, it is the number
    /// of crashes in a crash loop.
    public var weight = 1
    /// Whether this is only the number of crashes in a crash loop, and not a crash report.
    public var isCount = false
    /// The name of the program.
    public var program: String?
    /// The version of the program.
    public var version: String?
    /// The name of the machine.
    public var host: String?
    /// The file of the program's own source code in which the event happened.
    public var file: String?
    /// The texts in which a search looks for words.
    public var words = SearchedWords()
    /// The attributes of the report. From them, the store finds values that are more frequent in one group than in all
    /// reports.
    public var attributes: [String: String] = [:]
    /// The build IDs of the images whose symbols are missing. The desk makes the fingerprint from one stack of the
    /// report. The list has only images in which a frame of that stack lies.
    public var lacking: [String] = []
    /// The project that sent it; `nil` if it is not known.
    public var project: String?

    /// Makes a report whose `words` and `attributes` are empty; set both afterwards.
    public init(
      id: ReportID, bytes: [UInt8], fingerprint: String, title: String, time: Timestamp
    ) {
      (self.id, self.bytes, self.fingerprint, self.title, self.time) = (id, bytes, fingerprint, title, time)
    }

    /// The report as the store will know it.
    var stored: StoredReport {
      StoredReport(
        id: id, fingerprint: fingerprint, title: title, time: time, weight: weight, isCount: isCount, program: program,
        version: version, host: host)
    }
  }

  /// The texts in which a search looks for words.
  public struct SearchedWords: Sendable, Hashable {
    /// The names of functions.
    public var functions = ""
    /// The names of source files.
    public var files = ""
    /// The program's message, and the cause.
    public var message = ""
    /// The values of attributes.
    public var attributes = ""

    /// Starts with empty texts.
    public init() {}
  }

  /// The state of a group, which people set.
  public enum GroupState: Sendable, Hashable {
    /// No person has resolved or muted the group.
    case open
    /// The fault is corrected: in this version and all later versions, or with `nil`, from now on.
    case resolved(version: String?)
    /// The group is hidden until this time; `nil` means forever.
    case muted(until: Timestamp?)

    /// Its name in the pages and in the database.
    public var name: String {
      switch self {
      case .open: "open"
      case .resolved: "resolved"
      case .muted: "muted"
      }
    }
  }

  /// Whether a group is new in the newest version of its program, or gone from that version.
  public enum Standing: String, Sendable, Hashable, CaseIterable {
    /// The group has only crashes of the newest version, and earlier versions exist.
    case new
    /// The group has crashes of earlier versions, but no crash of the newest version.
    case gone
  }

  /// Selects the groups that one page of the inbox shows.
  public struct GroupQuery: Sendable {
    /// The page shows only groups in this state: `open`, `resolved` or `muted`. If it is `nil`, the page shows groups
    /// in all states.
    public var state: String?
    /// The page shows only groups with this standing. If it is `nil`, the page shows all groups.
    public var standing: Standing?
    /// The page shows only groups with a report that has all words of this text. If the text is empty, the page shows
    /// all groups.
    public var search = ""
    /// The highest number of groups on the page.
    public var limit = 50
    /// How many groups come before the page.
    public var offset = 0
    /// The current time. Hours and days are counted back from this time.
    public var now: Timestamp

    /// The first page of all groups.
    public init(now: Timestamp) { self.now = now }
  }

  /// A page of groups.
  public struct GroupList: Sendable {
    /// The groups of the page. The group with the latest crash comes first.
    public var groups: [StoredGroup]
    /// How many groups match, on all pages.
    public var total: Int

    /// Makes a page with the total number of groups.
    public init(groups: [StoredGroup], total: Int) { (self.groups, self.total) = (groups, total) }
  }

  /// A group in the store.
  public struct StoredGroup: Sendable {
    /// The fingerprint that the reports of the group share.
    public var fingerprint: String
    /// The title.
    public var title: String
    /// How many crashes the group has.
    public var count: Int
    /// When the first crash happened.
    public var firstSeen: Timestamp
    /// When the last crash happened.
    public var lastSeen: Timestamp
    /// Its state, which people set.
    public var state: GroupState
    /// Whether the group was resolved, and then got another crash.
    public var hasRegressed: Bool
    /// Whether the group is new in the newest version of its program, or gone from that version; `nil` if neither.
    public var standing: Standing?
    /// The newest version of its program.
    public var newestVersion: String?
    /// The file of the program's own source code in which the event happened.
    public var file: String?
    /// The programs, the most frequent first.
    public var programs: [String]
    /// The versions, the most frequent first.
    public var versions: [String]
    /// The machines, the most frequent first.
    public var hosts: [String]
    /// The number of crashes in each of the last 24 hours, the oldest hour first. The last element is the current hour.
    public var hours: [Int]
    /// The number of crashes in each of the last 30 days, the oldest day first. Each day is a period of 24 hours. In a
    /// group of a ``GroupList``, this array is empty.
    public var days: [Int]
  }

  /// A report in the store.
  public struct StoredReport: Sendable {
    /// The id of the report.
    public var id: ReportID
    /// The fingerprint of its group.
    public var fingerprint: String
    /// The title of its group.
    public var title: String
    /// When it happened.
    public var time: Timestamp
    /// How many crashes this report represents.
    public var weight: Int
    /// Whether this is only the number of crashes in a crash loop, and not a crash report.
    public var isCount: Bool
    /// The name of the program.
    public var program: String?
    /// The version of the program.
    public var version: String?
    /// The name of the machine.
    public var host: String?
  }

  /// The neighbours of a report in its group.
  public struct Neighbours: Sendable {
    /// The next newer report.
    public var newer: ReportID?
    /// The next older report.
    public var older: ReportID?
  }

  /// The limits for stored reports: their age, their number, and their size in bytes.
  public struct Retention: Sendable, Hashable {
    /// How many days the desk keeps a report, counted from the time of its crash. `nil` means forever.
    public var days: Int?
    /// How many of the latest reports are kept; `nil` means all.
    public var reports: Int?
    /// How many bytes the reports of each project may have. The desk removes the oldest reports first. `nil` sets no
    /// limit.
    public var bytes: Int?

    /// Sets the number of days, of reports, and of bytes for each project.
    public init(days: Int? = nil, reports: Int? = nil, bytes: Int? = nil) {
      (self.days, self.reports, self.bytes) = (days, reports, bytes)
    }
  }

  /// A person's note about a group.
  public struct Note: Sendable, Hashable {
    /// When the note was written.
    public var time: Timestamp
    /// The text of the note.
    public var text: String
  }

  /// A value of an attribute that is more frequent in the reports of one group than in all reports.
  public struct FrequentValue: Sendable, Hashable {
    /// The key of the attribute.
    public var key: String
    /// Its value.
    public var value: String
    /// The share of the group's latest reports that have this value, from 0 to 1.
    public var inGroup: Double
    /// The share of all reports that have this value, from 0 to 1.
    public var inAll: Double
  }

  /// One start of a program.
  public struct ProgramStart: Sendable, Hashable {
    /// Identifies this start of the program. If a client sends the message about one start twice, both messages
    /// have the same id.
    public var id: ReportID
    /// The name of the program.
    public var program: String
    /// The version of the program.
    public var version: String
    /// When it started.
    public var time: Timestamp

    /// One start of a program.
    public init(id: ReportID, program: String, version: String, time: Timestamp) {
      (self.id, self.program, self.version, self.time) = (id, program, version, time)
    }
  }

  /// The starts and crashes of a program's version in the last 30 days.
  public struct VersionShare: Sendable, Hashable {
    /// The name of the program.
    public var program: String
    /// The version of the program.
    public var version: String
    /// How often this version started.
    public var starts: Int
    /// How often this version crashed.
    public var crashes: Int

    /// The share of starts without a crash, from 0 to 1.
    public var good: Double { max(0, 1 - Double(crashes) / Double(max(starts, 1))) }
  }

  /// The numbers of items in the store.
  public struct Totals: Sendable, Hashable {
    /// How many reports there are.
    public var reports = 0
    /// How many groups are in each state. Each key is the name of a state, such as `open`.
    public var groups: [String: Int] = [:]
  }

  /// Why the store cannot do something.
  public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file or folder with the error.
    public var path: String
    /// The reason, in words.
    public var reason: String

    /// Makes an error about a path.
    public init(_ path: String, _ reason: String) { (self.path, self.reason) = (path, reason) }

    /// The path, and the reason.
    public var description: String { "\(path): \(reason)" }
  }
#endif
