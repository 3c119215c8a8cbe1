#if CrashKitService
  import CrashReportModel
  import PreviousRuns

  /// Which reports of a folder were counted. Of each there is an empty file, which one process can make: so a report
  /// counts once, in however many processes, and whatever becomes of it.
  struct CountedReports: Sendable {
    private static let folder = "counted"
    private static let handledFolders = ["set-aside/", "handled/"]

    private let directory: ReportDirectory

    /// Reports that were handled before there was a service do not count.
    init?(in path: String) {
      guard let directory = try? ReportDirectory(path: path) else { return nil }
      self.directory = directory
      let isFirst = directory.status(of: Self.folder) == nil
      guard (try? directory.makeFolder(Self.folder)) != nil else { return nil }
      if isFirst { takeHandled() } else { forgetRemoved() }
    }

    /// The names of the reports that were not counted.
    func uncounted() -> [String] {
      let counted = Set(directory.names(in: Self.folder) { _ in true })
      // In the order in which a report moves: on its way it is found twice rather than not at all.
      return names(in: [""] + Self.handledFolders).filter { !counted.contains(Self.mark($0)) }
    }

    /// Says that the report is counted. Returns whether this call did so.
    func take(_ name: String) -> Bool { (try? directory.create("\(Self.folder)/\(Self.mark(name))")) == true }

    private func names(in folders: [String]) -> [String] {
      folders.flatMap { folder in directory.names(in: folder.isEmpty ? "." : folder) { ReportName($0) != nil } }
    }

    /// Without the ending of reports: no reader takes the file for one.
    private static func mark(_ name: String) -> String { String(name.dropLast(ReportName.suffix.count)) }

    private func takeHandled() {
      for name in names(in: Self.handledFolders) { _ = take(name) }
    }

    private func forgetRemoved() {
      // Before the reports: another process may count one in the meantime.
      let marks = directory.names(in: Self.folder) { _ in true }
      let reports = Set(names(in: [""] + Self.handledFolders).map(Self.mark))
      for mark in marks where !reports.contains(mark) { try? directory.remove("\(Self.folder)/\(mark)") }
    }
  }
#endif
