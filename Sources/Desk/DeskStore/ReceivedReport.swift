#if Desk
  /// A report that is to be kept, and that the database does not know yet.
  public struct ReceivedReport: Sendable {
    /// The id of the report.
    public var id: ReportID
    /// The project that sent it; `nil` if it is not known.
    public var project: String?
    /// The bytes as they arrived.
    public var bytes: [UInt8]

    /// A report of a project.
    public init(id: ReportID, project: String?, bytes: [UInt8]) {
      (self.id, self.project, self.bytes) = (id, project, bytes)
    }
  }

  /// A store's functions for reports that are kept first, and counted later.
  public protocol ReceivingStore: Sendable {
    /// Keeps reports as they came. When this returns, those without an error survive the end of the process and of the
    /// machine's power. They wait for `take`.
    func receive(_ reports: [ReceivedReport]) -> [Result<Acceptance, any Error>]

    /// The reports that wait, of this process and of earlier ones, with their projects.
    var waiting: [(id: ReportID, project: String?)] { get }

    /// Ends the wait of a report that cannot be read. Its file stays.
    func giveUp(_ id: ReportID) throws
  }
#endif
