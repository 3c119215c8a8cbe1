#if Desk
  import CrashReportModel
  import DeskStore

  /// Bytes that were read, and that are a report or a count of reports: the desk reads what comes in once.
  struct CheckedReport: Sendable {
    enum Content: Sendable {
      case report(CrashReport)
      case count(ArrivedReport)
    }

    let id: ReportID
    let bytes: [UInt8]
    let content: Content
  }
#endif
