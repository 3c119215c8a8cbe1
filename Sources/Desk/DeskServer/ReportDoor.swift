#if Desk
  import DeskStore

  /// The only way in for reports and events, from any sender. A report is first written to the disk, and the backlog
  /// describes it afterwards.
  struct ReportDoor: Sendable {
    /// Bytes of a body as it is sent, and of what it unpacks to.
    struct Limits: Sendable {
      var sent: Int
      var unpacked: Int
    }

    let store: any ReportStore
    let describer: ReportDescriber
    let commits: ReportCommits
    let backlog: Backlog
    let counters: DeskCounters
    let limits: Limits

    /// Returns when one more report may come.
    func room() async { await backlog.room() }

    /// Whether the desk has a report, described or not.
    func has(_ id: ReportID) throws -> Bool { try backlog.contains(id) || store.report(id) != nil }

    /// Stores a report. When this returns, the report is on the disk.
    ///
    /// - Parameter waits: Whether to wait for the report's group too, if few others wait.
    /// - Throws: The error of the store, or ``Refusal`` if too many reports are being stored.
    func take(_ report: CheckedReport, of project: String?, waits: Bool) async throws -> Acceptance {
      let received = ReceivedReport(id: report.id, project: project, bytes: report.bytes)
      let acceptance = try await commits.take(received)
      counters.count(acceptance, bytes: report.bytes.count)
      guard acceptance == .new else { return acceptance }
      if backlog.add(report, of: project), waits { await backlog.described(report.id) }
      return acceptance
    }
  }
#endif
