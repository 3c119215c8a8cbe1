import CrashReportModel

/// An event for a destination: a report, or the number of similar reports.
public struct SentEvent: Sendable {
  /// The content of the event.
  public enum Content: Sendable {
    /// A report as it leaves the host.
    case report(CrashReport)
    /// The count of reports that are similar to a sent report.
    case count(LoopCount)
  }

  public let id: EventID
  public let content: Content
  /// The owner of the report's file: the user of the process, unless the folder was copied.
  public let owner: FileOwner?

  public init(id: EventID, _ content: Content, owner: FileOwner? = nil) {
    self.id = id
    self.content = content
    self.owner = owner
  }
}

/// A user and a group by their numbers.
public struct FileOwner: Sendable, Hashable {
  public var user: UInt32
  public var group: UInt32

  public init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }
}

/// How many reports of one fault in one minute were counted but not sent. They were not sent because the server already
/// has a report of this fault.
public struct LoopCount: Sendable, Hashable {
  /// The fingerprint of these reports.
  public var fingerprint: String
  /// The readable name of the fault: `trap in price(of:)`.
  public var title: String
  /// The number of these reports. The report that was sent is not included.
  public var count: Int
  /// The id of the event that carried the sent report of this fault; `nil` if the id is not known.
  public var sent: EventID?
  /// The beginning of the minute in which these reports were made.
  public var minute: Timestamp
  /// The application, its version and its build, as in the reports.
  public var application: CrashReport.Application?

  public init(
    fingerprint: String, title: String, count: Int, sent: EventID?, minute: Timestamp,
    application: CrashReport.Application? = nil
  ) {
    self.fingerprint = fingerprint
    self.title = title
    self.count = count
    self.sent = sent
    self.minute = minute
    self.application = application
  }

  /// The count in words, as in `trap in price(of:): 41 more in the minute from 2026-11-27T10:00:00Z`.
  public var sentence: String {
    "\(title): \(count) more \(count == 1 ? "report" : "reports") in the minute from \(minute.text)"
  }
}
