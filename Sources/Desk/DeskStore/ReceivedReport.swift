#if Desk
  /// A report to store that is not in the database yet.
  public struct ReceivedReport: Sendable {
    /// The id of the report.
    public var id: ReportID
    /// The project that sent it; `nil` if it is not known.
    public var project: String?
    /// The bytes as they arrived.
    public var bytes: [UInt8]

    /// Makes a report from its id, its project and its bytes.
    public init(id: ReportID, project: String?, bytes: [UInt8]) {
      (self.id, self.project, self.bytes) = (id, project, bytes)
    }
  }

  /// A store's functions for reports that are stored first, and counted later.
  public protocol ReceivingStore: Sendable {
    /// Stores reports unchanged. When this returns, reports without an error survive the end of the process and a loss
    /// of power. They then wait for `take`.
    func receive(_ reports: [ReceivedReport]) -> [Result<Acceptance, any Error>]

    /// The reports that wait for `take`, from this process and from earlier ones, with their projects.
    var waiting: [(id: ReportID, project: String?)] { get }

    /// Removes a report that cannot be read from the waiting reports. Its file stays.
    func giveUp(_ id: ReportID) throws
  }
#endif
