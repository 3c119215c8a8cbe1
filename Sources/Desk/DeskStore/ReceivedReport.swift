#if Desk
  /// A report that arrived, and is not in the database yet.
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

    /// The reports that wait for `take`, with their projects. They come from this process and from earlier processes.
    var waiting: [(id: ReportID, project: String?)] { get }

    /// Takes an unreadable report off the list of waiting reports. The report's file stays.
    func giveUp(_ id: ReportID) throws
  }
#endif
