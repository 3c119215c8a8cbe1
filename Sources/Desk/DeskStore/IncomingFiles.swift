#if Desk
  import Glibc
  import LinuxCalls
  import Synchronization

  /// The reports that were accepted and that the database does not know yet: `incoming/ID.json`, or
  /// `incoming/ID.PROJECT.json`. One folder has them all, so that many are on the disk after one `fsync` of it.
  final class IncomingFiles: Sendable {
    private static let ending = ".json"

    private let folder: String
    private let files: ReportFiles
    /// The projects of those that wait.
    private let projects: Mutex<[ReportID: String?]>

    /// Lists the files that an earlier process left, and removes files that it did not finish, unless the folder is
    /// only read.
    init(_ folder: DataFolder, _ files: ReportFiles) throws(StoreError) {
      (self.folder, self.files) = (folder.incoming, files)
      projects = Mutex(try Self.list(folder.incoming, removesUnfinished: !folder.isReadOnly))
    }

    private static func list(
      _ folder: String, removesUnfinished: Bool
    ) throws(StoreError) -> [ReportID: String?] {
      var found: [ReportID: String?] = [:]
      // A folder that is only read may be of an earlier version.
      guard access(folder, F_OK) == 0 else { return found }
      for name in try ReportFiles.names(folder) {
        if name.hasSuffix(DurableFile.unfinished) {
          if removesUnfinished { _ = unlink("\(folder)/\(name)") }
        } else if name.hasSuffix(ending), let id = ReportID(name.prefix(32)) {
          let project = name.dropFirst(32).dropLast(ending.count).dropFirst()
          found[id] = .some(project.isEmpty ? nil : String(project))
        }
      }
      return found
    }

    /// Those that wait, with their projects.
    var waiting: [(id: ReportID, project: String?)] {
      projects.withLock { $0.map { (id: $0.key, project: $0.value) } }.sorted { $0.id.text < $1.id.text }
    }

    func contains(_ id: ReportID) -> Bool { projects.withLock { $0[id] != nil } }

    /// Writes reports, unless they wait already or are among those that the caller knows.
    func keep(_ reports: [ReceivedReport], known: Set<ReportID>) -> [Result<Acceptance, any Error>] {
      var seen = known
      let isNew = reports.map { !contains($0.id) && seen.insert($0.id).inserted }
      let new = zip(reports, isNew).filter(\.1).map(\.0)
      let failures = DurableFile.write(
        new.map { DurableFile.New(bytes: $0.bytes, path: path($0.id, $0.project), folder: folder) })
      var failed: [ReportID: StoreError] = [:]
      projects.withLock { projects in
        for (report, failure) in zip(new, failures) {
          if let failure { failed[report.id] = failure } else { projects[report.id] = .some(report.project) }
        }
      }
      return zip(reports, isNew).map { report, isNew in
        if let failure = failed[report.id] { return .failure(failure) }
        return .success(isNew ? .new : .known)
      }
    }

    /// `nil` if it does not wait.
    func read(_ id: ReportID) throws(StoreError) -> [UInt8]? {
      guard let project = projects.withLock({ $0[id] }) else { return nil }
      return try ReportFiles.read(path(id, project))
    }

    /// Moves a report to the others. If the name is not on the disk after a loss of power, the report waits again, and
    /// the database knows it.
    func settle(_ id: ReportID) throws(StoreError) {
      guard let project = projects.withLock({ $0[id] }) else { return }
      let name = path(id, project)
      guard rename(name, files.path(id)) == 0 || errno == ENOENT else { throw StoreError(name, errorText(errno)) }
      projects.withLock { _ = $0.removeValue(forKey: id) }
    }

    /// Copies what waits to another folder, in which no desk works. The ids.
    func copy(to other: DataFolder) throws(StoreError) -> Set<ReportID> {
      var copied: Set<ReportID> = []
      for (id, project) in waiting {
        // It may be counted meanwhile: then the database has it.
        guard let bytes = try read(id) else { continue }
        try DurableFile.write(
          bytes, to: Self.path(id, project, in: other.incoming), in: other.incoming, isSynced: false)
        copied.insert(id)
      }
      return copied
    }

    private func path(_ id: ReportID, _ project: String?) -> String { Self.path(id, project, in: folder) }

    private static func path(_ id: ReportID, _ project: String?, in folder: String) -> String {
      // Whatever the file of tokens says, it is no path.
      let name = project.flatMap { Tokens.isName($0) ? ".\($0)" : nil } ?? ""
      return "\(folder)/\(id.text)\(name)\(ending)"
    }
  }
#endif
