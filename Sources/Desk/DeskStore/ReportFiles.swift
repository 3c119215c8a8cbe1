#if Desk
  import CrashReportReading
  import Glibc
  import LinuxCalls

  /// The folder of reports. Each report is in `reports/xx/ID.json`, as it arrived. If the database is damaged, the desk
  /// makes it again from these files.
  public struct ReportFiles: Sendable {
    private let folder: String
    private static let ending = ".json"
    /// No report that the desk took is longer.
    private static let longest = 256 << 20

    /// Makes the folders `00` to `ff`, unless the folder is only read.
    init(_ folder: DataFolder) throws(StoreError) {
      self.folder = folder.reports
      guard !folder.isReadOnly else { return }
      for number in 0..<256 {
        let below = "\(self.folder)/\(number < 16 ? "0" : "")\(String(number, radix: 16))"
        guard mkdir(below, 0o700) == 0 || errno == EEXIST else { throw StoreError(below, errorText(errno)) }
      }
      try DurableFile.sync(self.folder)
      try DurableFile.sync(folder.path)
    }

    /// Writes reports, unless they are there. What kept each from it.
    func keep(_ reports: [(bytes: [UInt8], id: ReportID)]) -> [StoreError?] {
      DurableFile.write(
        reports.map { bytes, id in
          let below = "\(folder)/\(id.text.prefix(2))"
          let path = path(id)
          // If it is there, the process that wrote it may have ended before the name was on the disk.
          return DurableFile.New(bytes: access(path, F_OK) == 0 ? nil : bytes, path: path, folder: below)
        })
    }

    /// Writes a new report. It is on the disk only after the file system is synced.
    func write(_ bytes: [UInt8], as id: ReportID) throws(StoreError) {
      try DurableFile.write(bytes, to: path(id), in: "\(folder)/\(id.text.prefix(2))", isSynced: false)
    }

    /// Where a report is, or will be.
    func path(_ id: ReportID) -> String { "\(folder)/\(id.text.prefix(2))/\(id.text)\(Self.ending)" }

    /// `nil` if there is no such report.
    func read(_ id: ReportID) throws(StoreError) -> [UInt8]? { try Self.read(path(id)) }

    /// `nil` if there is no such file.
    static func read(_ path: String) throws(StoreError) -> [UInt8]? {
      guard access(path, F_OK) == 0 else { return nil }
      do throws(ReadingError) {
        return try InputFile.read(path: path, limit: longest)
      } catch {
        // It may have been put elsewhere just now.
        guard access(path, F_OK) == 0 else { return nil }
        throw StoreError(path, error.what)
      }
    }

    /// How many bytes a report has; `nil` if there is no such report.
    func size(of id: ReportID) -> Int? {
      var status = stat()
      return path(id).withSystemText { lstat($0, &status) } == 0 ? Int(status.st_size) : nil
    }

    /// Takes a report away, if it is there.
    func remove(_ id: ReportID) throws(StoreError) {
      let path = path(id)
      guard unlink(path) == 0 || errno == ENOENT else { throw StoreError(path, errorText(errno)) }
    }

    /// All ids, and takes away what was not finished.
    func list() throws(StoreError) -> [ReportID] {
      var ids: [ReportID] = []
      for below in try Self.names(folder) where below.utf8.count == 2 {
        for name in try Self.names("\(folder)/\(below)") {
          if name.hasSuffix(DurableFile.unfinished) {
            _ = unlink("\(folder)/\(below)/\(name)")
          } else if name.hasSuffix(Self.ending), let id = ReportID(name.dropLast(Self.ending.count)) {
            ids.append(id)
          }
        }
      }
      return ids
    }

    /// The names in a folder.
    static func names(_ path: String) throws(StoreError) -> [String] {
      let descriptor = LinuxCalls.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw StoreError(path, errorText(errno)) }
      defer { close(descriptor) }
      guard let names = folderNames(descriptor) else { throw StoreError(path, errorText(errno)) }
      return names
    }
  }
#endif
